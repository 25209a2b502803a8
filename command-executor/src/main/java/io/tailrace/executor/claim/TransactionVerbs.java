package io.tailrace.executor.claim;

import java.util.Locale;

/**
 * Finds the statement in a text of SQL that would end the transaction, begin another, or change the session beyond it. Drivers send a text of several statements one
 * by one, so each is looked at: what stands first in it, and no more. Quotes, dollar quotes and comments are passed over by the rules of
 * PostgreSQL (Lexical Structure), with {@code standard_conforming_strings} on; what is not closed reaches to the end. Total: any text
 * has an answer. Reads each character once; a text of one statement is not read beyond its first words. Used once, by one thread.
 */
final class TransactionVerbs {

    private final String sql;
    private int at;

    /** A function's body is open, and the next END closes it and no transaction. */
    private boolean inBody;

    private TransactionVerbs(String sql) {
        this.sql = sql;
    }

    /** The verb of the first statement that is not a handler's to make, in capitals; empty when there is none. */
    static String firstIn(String sql) {
        TransactionVerbs text = new TransactionVerbs(sql);
        while (true) {
            String verb = text.verb();
            if (!verb.isEmpty() || !text.nextStatement()) {
                return verb;
            }
        }
    }

    private String verb() {
        String first = word();
        return switch (first) {
            case "ABORT", "BEGIN", "COMMIT", "DISCARD" -> first;
            case "SET" -> lastsForTheTransaction() ? "" : first;
            case "END" -> closesBody() ? "" : first;
            case "START", "PREPARE" -> word().equals("TRANSACTION") ? first + " TRANSACTION" : "";
            case "ROLLBACK" -> isToSavepoint() ? "" : first;
            default -> "";
        };
    }

    private boolean lastsForTheTransaction() {
        String next = word();
        return next.equals("LOCAL") || next.equals("CONSTRAINTS") || next.equals("TRANSACTION");
    }

    private boolean isToSavepoint() {
        String next = word();
        return (next.equals("WORK") || next.equals("TRANSACTION") ? word() : next).equals("TO");
    }

    private boolean closesBody() {
        boolean closes = inBody;
        inBody = false;
        return closes;
    }

    /** Goes behind the next semicolon that ends a statement; false when none does. */
    private boolean nextStatement() {
        if (sql.indexOf(';', at) < 0) {
            return false;
        }
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == ';') {
                at++;
                return true;
            }
            if (c == '\'' || c == '"') {
                quoted(c, false);
            } else if (c == '$') {
                dollarQuoted();
            } else if (startsWord(c)) {
                wordWithin();
            } else if (!comment()) {
                at++;
            }
        }
        return false;
    }

    private void wordWithin() {
        String word = word();
        if (word.equals("E") && at < sql.length() && sql.charAt(at) == '\'') {
            quoted('\'', true);
        } else if (word.equals("BEGIN") && word().equals("ATOMIC")) {
            inBody = true;
        }
    }

    /** The next word in capitals, behind blanks and comments; empty when something else stands there. */
    private String word() {
        while (at < sql.length() && (isBlank(sql.charAt(at)) || comment())) {
            if (at < sql.length() && isBlank(sql.charAt(at))) {
                at++;
            }
        }
        int start = at;
        if (at < sql.length() && startsWord(sql.charAt(at))) {
            while (at < sql.length() && isInWord(sql.charAt(at))) {
                at++;
            }
        }
        return sql.substring(start, at).toUpperCase(Locale.ROOT);
    }

    /** Passes over a comment; false when none stands here. */
    private boolean comment() {
        if (sql.startsWith("--", at)) {
            while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
                at++;
            }
            return true;
        }
        if (!sql.startsWith("/*", at)) {
            return false;
        }
        int depth = 0;
        do {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < sql.length());
        return true;
    }

    /** A doubled quote ends one and begins the next: to us that is the same. */
    private void quoted(char quote, boolean backslashEscapes) {
        for (at++; at < sql.length(); at++) {
            char c = sql.charAt(at);
            if (c == quote) {
                at++;
                if (at == sql.length() || sql.charAt(at) != quote) {
                    return;
                }
            } else if (c == '\\' && backslashEscapes) {
                at++;
            }
        }
        at = sql.length();
    }

    private void dollarQuoted() {
        int tag = at + 1;
        if (tag < sql.length() && startsWord(sql.charAt(tag))) {
            while (tag < sql.length() && isInWord(sql.charAt(tag)) && sql.charAt(tag) != '$') {
                tag++;
            }
        }
        if (tag >= sql.length() || sql.charAt(tag) != '$') {
            at++; // A parameter's.
            return;
        }
        String delimiter = sql.substring(at, tag + 1);
        int end = sql.indexOf(delimiter, tag + 1);
        at = end < 0 ? sql.length() : end + delimiter.length();
    }

    private static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean startsWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    }

    private static boolean isInWord(char c) {
        return startsWord(c) || (c >= '0' && c <= '9') || c == '$';
    }
}
