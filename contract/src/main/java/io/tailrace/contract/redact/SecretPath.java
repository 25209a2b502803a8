package io.tailrace.contract.redact;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a secret stands: in the payload ({@code customer.card}, {@code items[*].card}, {@code [0].token}, {@code people.*.pin},
 * {@code "a.b".c}) or among the row's own headers ({@code headers.api-key}, {@code headers.*}). A field of the payload that is called
 * {@code headers} is written {@code $.headers}.
 *
 * @param text as it was written
 * @param steps from the top of the payload; empty for the whole
 * @param header name of the header in lower case, {@value #ANY} for all; null for a path into the payload
 */
record SecretPath(String text, List<Step> steps, @Nullable String header) {

    static final String ANY = "*";

    private static final String HEADERS = "headers";

    /** One step down. */
    sealed interface Step {
        /** Into an object, and not into an array. */
        default boolean isField() {
            return this instanceof Field;
        }
    }

    /**
     * @param name of the field; null for every field
     * @param inAnyCase whether capital letters do not matter
     */
    record Field(@Nullable String name, boolean inAnyCase) implements Step {
        boolean takes(String field) {
            return name == null || name.equals(field) || (inAnyCase && name.equalsIgnoreCase(field));
        }
    }

    /** @param index of the element, from 0; -1 for every element */
    record Element(int index) implements Step {
        static final int EVERY = -1;

        boolean takes(int element) {
            return index == EVERY || index == element;
        }
    }

    SecretPath {
        steps = List.copyOf(steps);
    }

    /** To a header, in the object that a row's headers are. */
    static SecretPath intoHeaders(String header) {
        return new SecretPath(header, List.of(new Field(header.equals(ANY) ? null : header, true)), null);
    }

    /** @throws IllegalArgumentException saying what is wrong with it */
    static SecretPath parse(String text) {
        return new Reader(text).path();
    }

    private static final class Reader {

        private final String text;
        private final List<Step> steps = new ArrayList<>();
        private int at;

        Reader(String text) {
            this.text = text;
        }

        SecretPath path() {
            if (text.equals("$")) {
                return new SecretPath(text, List.of(), null);
            }
            boolean isPayload = text.startsWith("$.") || text.startsWith("$[");
            at = isPayload ? 1 : 0;
            if (at == 0 && !text.startsWith("[")) {
                field();
            }
            while (at < text.length()) {
                switch (text.charAt(at)) {
                    case '.' -> {
                        at++;
                        field();
                    }
                    case '[' -> element();
                    default -> throw wrong("a '.' or '[' is wanted at character " + (at + 1));
                }
            }
            return !isPayload && isHeaders(steps.get(0)) ? header() : new SecretPath(text, steps, null);
        }

        private boolean isHeaders(Step first) {
            return first instanceof Field field && HEADERS.equals(field.name()) && !text.startsWith("\"");
        }

        private SecretPath header() {
            if (steps.size() != 2 || !(steps.get(1) instanceof Field field)) {
                throw wrong(
                        "a header is named headers.<name>, all of them headers.*; a field of the payload $.headers");
            }
            String name = field.name();
            return new SecretPath(text, List.of(), name == null ? ANY : name.toLowerCase(Locale.ROOT));
        }

        private void field() {
            if (at < text.length() && text.charAt(at) == '"') {
                int end = text.indexOf('"', at + 1);
                if (end < 0) {
                    throw wrong("a quotation mark is open");
                }
                steps.add(new Field(text.substring(at + 1, end), false));
                at = end + 1;
                return;
            }
            int start = at;
            while (at < text.length() && ".[]\"".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String name = text.substring(start, at);
            if (name.isBlank() || !name.equals(name.strip())) {
                throw wrong("a field has no name, or one with a space at its end; put such a name in quotation marks");
            }
            steps.add(new Field(name.equals(ANY) ? null : name, false));
        }

        private void element() {
            int end = text.indexOf(']', at);
            String index = end < 0 ? "" : text.substring(at + 1, end);
            if (index.equals(ANY)) {
                steps.add(new Element(Element.EVERY));
            } else if (index.matches("\\d{1,9}")) {
                steps.add(new Element(Integer.parseInt(index)));
            } else {
                throw wrong("elements are written [0] or [*]");
            }
            at = end + 1;
        }

        private IllegalArgumentException wrong(String why) {
            return new IllegalArgumentException("'%s' is no path to a secret: %s".formatted(text, why));
        }
    }
}
