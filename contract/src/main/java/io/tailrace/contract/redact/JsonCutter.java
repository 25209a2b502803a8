package io.tailrace.contract.redact;

import io.tailrace.contract.redact.SecretPath.Element;
import io.tailrace.contract.redact.SecretPath.Field;
import io.tailrace.contract.redact.SecretPath.Step;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Walks JSON (RFC 8259) byte by byte and notes where the secret values begin and end. It looks at no number and builds no tree, so that
 * what it does not cut stays as it is: duplicate keys (each is cut), numbers of any size, spaces, escapes.
 *
 * <p>At each value there are the paths that lead to it. One that ends here: the value is secret, with all below. One that cannot go on,
 * because it wants a field and this is an array or a text: the value is of a shape nobody foresaw, and the secret may be anywhere in it, so
 * that it is cut whole; {@code null} excepted. Field names are compared after their escapes are resolved. For one use.
 */
final class JsonCutter {

    /** Deeper than any that is written by hand, and far from the end of a thread's stack. */
    private static final int DEEPEST = 1_000;

    private final byte[] in;
    private final List<int[]> cuts = new ArrayList<>();
    private final Set<String> values = new LinkedHashSet<>();
    private int at;
    private int depth;

    private JsonCutter(byte[] in) {
        this.in = in;
    }

    /** It is not JSON, or deeper than anybody looks. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreadable(String what, int at) {
            super("%s at byte %d".formatted(what, at));
        }
    }

    /** A path, and how many of its steps led here. */
    private record Lead(SecretPath path, int taken) {

        boolean ends() {
            return taken == path.steps().size();
        }

        Step next() {
            return path.steps().get(taken);
        }

        Lead further() {
            return new Lead(path, taken + 1);
        }
    }

    /**
     * Where the secrets stand.
     *
     * @param ranges from and to of each value, in order, apart from one another
     * @param values the texts and numbers in them
     */
    record Found(List<int[]> ranges, Set<String> values) {}

    /** @throws Unreadable when no path can be applied */
    static Found find(byte[] json, List<SecretPath> paths) throws Unreadable {
        requireUtf8(json);
        JsonCutter cutter = new JsonCutter(json);
        cutter.space();
        cutter.value(paths.stream().map(path -> new Lead(path, 0)).toList());
        cutter.space();
        if (cutter.at != json.length) {
            throw new Unreadable("something after the end", cutter.at);
        }
        return new Found(cutter.cuts, cutter.values);
    }

    /** The same bytes, with others in the place of each range. */
    static byte[] replace(byte[] in, List<int[]> ranges, byte[] by) {
        int size = in.length;
        for (int[] range : ranges) {
            size += by.length - (range[1] - range[0]);
        }
        byte[] out = new byte[size];
        int from = 0;
        int to = 0;
        for (int[] range : ranges) {
            System.arraycopy(in, from, out, to, range[0] - from);
            to += range[0] - from;
            System.arraycopy(by, 0, out, to, by.length);
            to += by.length;
            from = range[1];
        }
        System.arraycopy(in, from, out, to, in.length - from);
        return out;
    }

    /** A name in bytes that are no UTF-8 might be read as a secret's name by one reader and not by another. */
    private static void requireUtf8(byte[] json) throws Unreadable {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json));
        } catch (CharacterCodingException notUtf8) {
            throw new Unreadable("no UTF-8", 0);
        }
    }

    private void value(List<Lead> leads) throws Unreadable {
        int start = at;
        if (isSecret(leads)) {
            value(List.of(), true);
            cuts.add(new int[] {start, at});
        } else {
            value(leads, false);
        }
    }

    private boolean isSecret(List<Lead> leads) throws Unreadable {
        byte first = peek();
        if (leads.isEmpty() || first == 'n') {
            return false;
        }
        for (Lead lead : leads) {
            boolean leadsOn = !lead.ends() && (lead.next().isField() ? first == '{' : first == '[');
            if (!leadsOn) {
                return true;
            }
        }
        return false;
    }

    private void value(List<Lead> leads, boolean isSecret) throws Unreadable {
        int start = at;
        switch (peek()) {
            case '{' -> object(leads, isSecret);
            case '[' -> array(leads, isSecret);
            case '"' -> {
                string();
                if (isSecret) {
                    values.add(raw(start + 1, at - 1));
                    values.add(text(start, at));
                }
            }
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> {
                number();
                if (isSecret) {
                    values.add(raw(start, at));
                    values.add(Double.toString(Double.parseDouble(raw(start, at))));
                }
            }
        }
    }

    private void object(List<Lead> leads, boolean isSecret) throws Unreadable {
        deeper();
        at++;
        space();
        if (peek() == '}') {
            at++;
        } else {
            byte after;
            do {
                space();
                int start = at;
                string();
                String name = leads.isEmpty() ? "" : text(start, at);
                space();
                expect(':');
                space();
                below(into(leads, name), isSecret);
                space();
                after = either(',', '}');
            } while (after == ',');
        }
        depth--;
    }

    private void array(List<Lead> leads, boolean isSecret) throws Unreadable {
        deeper();
        at++;
        space();
        if (peek() == ']') {
            at++;
        } else {
            int index = 0;
            byte after;
            do {
                space();
                below(into(leads, index++), isSecret);
                space();
                after = either(',', ']');
            } while (after == ',');
        }
        depth--;
    }

    private void below(List<Lead> leads, boolean isSecret) throws Unreadable {
        if (isSecret) {
            value(List.of(), true);
        } else {
            value(leads);
        }
    }

    private static List<Lead> into(List<Lead> leads, String name) {
        return leads.isEmpty()
                ? leads
                : leads.stream()
                        .filter(lead -> lead.next() instanceof Field field && field.takes(name))
                        .map(Lead::further)
                        .toList();
    }

    private static List<Lead> into(List<Lead> leads, int index) {
        return leads.isEmpty()
                ? leads
                : leads.stream()
                        .filter(lead -> lead.next() instanceof Element element && element.takes(index))
                        .map(Lead::further)
                        .toList();
    }

    private void deeper() throws Unreadable {
        if (++depth > DEEPEST) {
            throw new Unreadable("more than %d levels".formatted(DEEPEST), at);
        }
    }

    private void string() throws Unreadable {
        expect('"');
        while (true) {
            byte next = peek();
            at++;
            if (next == '"') {
                return;
            }
            if (next >= 0 && next < ' ') {
                throw new Unreadable("a control character", at - 1);
            }
            if (next == '\\') {
                escape();
            }
        }
    }

    private void escape() throws Unreadable {
        byte escaped = peek();
        at++;
        if (escaped == 'u') {
            for (int i = 0; i < 4; i++) {
                if (Character.digit(peek(), 16) < 0) {
                    throw new Unreadable("an escape that is none", at);
                }
                at++;
            }
        } else if ("\"\\/bfnrt".indexOf(escaped) < 0) {
            throw new Unreadable("an escape that is none", at - 1);
        }
    }

    private void number() throws Unreadable {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        if (at < in.length && in[at] == '.') {
            at++;
            digits();
        }
        if (at < in.length && (in[at] == 'e' || in[at] == 'E')) {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
    }

    private void digits() throws Unreadable {
        int start = at;
        while (at < in.length && in[at] >= '0' && in[at] <= '9') {
            at++;
        }
        if (at == start) {
            throw new Unreadable("no value", at);
        }
    }

    private void literal(String word) throws Unreadable {
        for (int i = 0; i < word.length(); i++) {
            expect(word.charAt(i));
        }
    }

    private void space() {
        while (at < in.length && (in[at] == ' ' || in[at] == '\n' || in[at] == '\r' || in[at] == '\t')) {
            at++;
        }
    }

    private byte peek() throws Unreadable {
        if (at >= in.length) {
            throw new Unreadable("an early end", at);
        }
        return in[at];
    }

    private void expect(char wanted) throws Unreadable {
        if (peek() != wanted) {
            throw new Unreadable("not what was wanted", at);
        }
        at++;
    }

    private byte either(char one, char other) throws Unreadable {
        byte found = peek();
        if (found != one && found != other) {
            throw new Unreadable("not what was wanted", at);
        }
        at++;
        return found;
    }

    private String raw(int from, int to) {
        return new String(in, from, to - from, StandardCharsets.UTF_8);
    }

    /** Of a string with its quotation marks, its escapes resolved. */
    private String text(int from, int to) {
        String raw = raw(from + 1, to - 1);
        if (raw.indexOf('\\') < 0) {
            return raw;
        }
        StringBuilder text = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char next = raw.charAt(i);
            if (next != '\\') {
                text.append(next);
                continue;
            }
            char escaped = raw.charAt(++i);
            if (escaped == 'u') {
                text.append((char) Integer.parseInt(raw, i + 1, i + 5, 16));
                i += 4;
            } else {
                text.append(unescaped(escaped));
            }
        }
        return text.toString();
    }

    private static char unescaped(char escaped) {
        return switch (escaped) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> escaped;
        };
    }
}
