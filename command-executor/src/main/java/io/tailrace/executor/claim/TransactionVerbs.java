package io.tailrace.executor.claim;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds the statement in a text of SQL that would end the transaction, begin another, or change the session beyond it. Drivers send a text of
 * several statements one by one, so each is looked at: what stands first in it, and no more. Quotes, dollar quotes and comments are passed over
 * by the rules of PostgreSQL (Lexical Structure), with {@code standard_conforming_strings} on; what is not closed reaches to the end. Total: any text
 * has an answer. Reads each character once; a text of one statement is not read beyond its first words. One in which the name of a function
 * occurs that changes the session is read once more, for its calls. Used once, by one thread.
 */
final class TransactionVerbs {

    /** Lets go at the end of the session only. */
    private static final Set<String> LOCKS = Set.of(
            "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_LOCK_SHARED");

    private static final String SETTER = "SET_CONFIG";

    private static final Pattern MAY_CALL =
            Pattern.compile("set_config|pg_(?:try_)?advisory_lock", Pattern.CASE_INSENSITIVE);

    private final String sql;
    private int at;

    /** A function's body is open, and the next END closes it and no transaction. */
    private boolean inBody;

    private TransactionVerbs(String sql) {
        this.sql = sql;
    }

    /** The first statement's verb, or else the first call's function, that is not a handler's to use, in capitals; empty when there is none. */
    static String firstIn(String sql) {
        String verb = firstVerb(sql);
        return verb.isEmpty() && MAY_CALL.matcher(sql).find() ? new TransactionVerbs(sql).call() : verb;
    }

    private static String firstVerb(String sql) {
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
            case "ABORT", "BEGIN", "COMMIT", "DISCARD", "LISTEN" -> first;
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
            if (startsWord(c)) {
                wordWithin();
            } else {
                pass(c);
            }
        }
        return false;
    }

    /** Goes behind what stands here and is no word: all of it when it is quoted or a comment, or else one character. */
    private void pass(char c) {
        if (c == '\'' || c == '"') {
            quoted(c, false);
        } else if (c == '$') {
            dollarQuoted();
        } else if (!comment()) {
            at++;
        }
    }

    private void wordWithin() {
        if (outerWord().equals("BEGIN") && word().equals("ATOMIC")) {
            inBody = true;
        }
    }

    /** The next word; of an escape string its E, and it is passed over as a whole. */
    private String outerWord() {
        String word = word();
        if (word.equals("E") && isHere('\'')) {
            quoted('\'', true);
        }
        return word;
    }

    private boolean isHere(char c) {
        return at < sql.length() && sql.charAt(at) == c;
    }

    private String call() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (!startsWord(c)) {
                pass(c);
                continue;
            }
            String word = outerWord();
            if (LOCKS.contains(word) ? opens() : word.equals(SETTER) && opens() && !isLocal()) {
                return word;
            }
        }
        return "";
    }

    private boolean opens() {
        blanks();
        return isHere('(');
    }

    /** Whether the third argument of the call is plainly true; stays where it is, because there may be calls in the first two. */
    private boolean isLocal() {
        int before = at;
        at++;
        boolean local = skipsArguments(2) && isTrue();
        at = before;
        return local;
    }

    private boolean isTrue() {
        String word = word();
        if (word.equals("IS_LOCAL") && named()) {
            word = word();
        }
        blanks();
        return word.equals("TRUE") && isHere(')');
    }

    private boolean named() {
        blanks();
        boolean named = sql.startsWith("=>", at) || sql.startsWith(":=", at);
        at += named ? 2 : 0;
        return named;
    }

    private boolean skipsArguments(int count) {
        boolean skipped = true;
        for (int n = 0; skipped && n < count; n++) {
            skipped = nextArgument();
        }
        return skipped;
    }

    /** Goes behind the comma that ends this argument; false when it is the last one. */
    private boolean nextArgument() {
        int depth = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (startsWord(c)) {
                outerWord();
                continue;
            }
            if (c == ')' && depth == 0) {
                return false;
            }
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            pass(c);
            if (c == ',' && depth == 0) {
                return true;
            }
        }
        return false;
    }

    /** The next word in capitals, behind blanks and comments; empty when something else stands there. */
    private String word() {
        blanks();
        int start = at;
        if (at < sql.length() && startsWord(sql.charAt(at))) {
            while (at < sql.length() && isInWord(sql.charAt(at))) {
                at++;
            }
        }
        return sql.substring(start, at).toUpperCase(Locale.ROOT);
    }

    private void blanks() {
        while (at < sql.length() && (isBlank(sql.charAt(at)) || comment())) {
            if (at < sql.length() && isBlank(sql.charAt(at))) {
                at++;
            }
        }
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
