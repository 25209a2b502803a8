package io.tailrace.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Names that secrets go by. Guesses: it knows no values and looks at none. Pure. */
final class SuspectNames {

    /** Words that say it alone. */
    private static final Set<String> WORDS = Set.of(
            "password",
            "passwd",
            "pwd",
            "passphrase",
            "passcode",
            "secret",
            "token",
            "credential",
            "credentials",
            "authorization",
            "cookie",
            "pin",
            "otp",
            "cvv",
            "cvc",
            "cvv2",
            "iban",
            "ssn",
            "card",
            "bearer",
            "jwt");

    /** Words that say it only together. */
    private static final List<String> TOGETHER = List.of(
            "apikey",
            "accesskey",
            "privatekey",
            "secretkey",
            "signingkey",
            "cardnumber",
            "creditcard",
            "accountnumber",
            "socialsecurity",
            "taxid",
            "passportnumber",
            "sessionid");

    private static final JsonFactory JSON = new JsonFactory();

    private SuspectNames() {}

    /** Whether a field or header of that name is probably secret. */
    static boolean isSuspect(String name) {
        List<String> words = Arrays.stream(name.split("(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+"))
                .map(word -> word.toLowerCase(Locale.ROOT))
                .toList();
        String joined = String.join("", words);
        boolean isCount =
                !words.isEmpty() && words.get(words.size() - 1).matches("id|type|count|length|expires|expiry|at");
        return (!isCount && words.stream().anyMatch(WORDS::contains))
                || TOGETHER.stream().anyMatch(joined::contains);
    }

    /**
     * The paths of suspect fields that have a value, written as the configuration wants them; elements of arrays as {@code [*]}. Up to
     * where the text stops being JSON.
     */
    static Set<String> ofJson(byte[] json) {
        Set<String> found = new TreeSet<>();
        try (JsonParser parser = JSON.createParser(json)) {
            JsonToken token = parser.nextToken();
            while (token != null) {
                String name = parser.currentName();
                boolean isValue = token != JsonToken.FIELD_NAME
                        && token != JsonToken.VALUE_NULL
                        && token != JsonToken.END_OBJECT
                        && token != JsonToken.END_ARRAY;
                // Inside an array or object the name of the field that holds it has been judged already.
                if (isValue && isNamedHere(parser, token) && name != null && isSuspect(name)) {
                    found.add(path(parser, token));
                }
                token = parser.nextToken();
            }
            return found;
        } catch (IOException notJson) {
            return found;
        }
    }

    private static boolean isNamedHere(JsonParser parser, JsonToken token) {
        var context = holder(parser, token);
        return context != null && context.inObject();
    }

    /** What holds the value; after the start of an object or array the parser is inside it already. */
    private static com.fasterxml.jackson.core.@org.jspecify.annotations.Nullable JsonStreamContext holder(
            JsonParser parser, JsonToken token) {
        var context = parser.getParsingContext();
        return token.isStructStart() ? context.getParent() : context;
    }

    private static String path(JsonParser parser, JsonToken token) {
        StringBuilder path = new StringBuilder();
        for (var at = holder(parser, token); at != null && !at.inRoot(); at = at.getParent()) {
            String name = at.getCurrentName();
            String step = at.inArray() ? "[*]" : quotedIfNeeded(name == null ? "" : name);
            boolean joins = path.length() > 0 && path.charAt(0) != '[';
            path.insert(0, joins ? step + "." : step);
        }
        String text = path.toString();
        boolean readsAsHeader = text.startsWith("headers.") || text.startsWith("headers[") || text.equals("headers");
        return readsAsHeader ? "$." + text : text;
    }

    private static String quotedIfNeeded(String name) {
        boolean isPlain = !name.isBlank()
                && name.equals(name.strip())
                && !name.equals("*")
                && name.chars().noneMatch(each -> ".[]\"".indexOf(each) >= 0);
        return isPlain ? name : '"' + name + '"';
    }
}
