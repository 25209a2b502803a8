package io.tailrace.contract.redact;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of a row, as paths. A value that is cut out of a payload is replaced by {@code null}, so that what is left has the shape it
 * had and every other byte; a header that is cut keeps its name and has no value. Immutable.
 */
public final class SecretPaths {

    /** A row without secrets. */
    public static final SecretPaths NONE = new SecretPaths(List.of());

    private static final byte[] CUT = Bytes.utf8("null").array();

    private static final byte[] EMPTY_TEXT = Bytes.utf8("\"\"").array();

    private static final Pattern JSON = Pattern.compile(
            "(application/json|[^;/]+/[^;/]+\\+json|text/json)\\s*(;.*)?", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern OTHER_CHARSET =
            Pattern.compile(".*;\\s*charset\\s*=\\s*\"?(?!utf-?8\\b).*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final List<SecretPath> ofPayload;
    private final Set<String> ofHeaders;

    private SecretPaths(Collection<SecretPath> paths) {
        ofPayload = paths.stream().filter(path -> path.header() == null).toList();
        Set<String> headers = new HashSet<>();
        paths.forEach(path -> {
            String header = path.header();
            if (header != null) {
                headers.add(header);
            }
        });
        ofHeaders = Set.copyOf(headers);
    }

    /** @throws IllegalArgumentException when one of them is no path */
    public static SecretPaths of(Collection<String> paths) {
        return paths.isEmpty()
                ? NONE
                : new SecretPaths(new LinkedHashSet<>(paths)
                        .stream().map(SecretPath::parse).toList());
    }

    /** These and others. */
    public SecretPaths and(SecretPaths others) {
        if (others.isEmpty() || isEmpty()) {
            return isEmpty() ? others : this;
        }
        return new SecretPaths(Stream.concat(paths(), others.paths()).distinct().toList());
    }

    private Stream<SecretPath> paths() {
        return Stream.concat(
                ofPayload.stream(), ofHeaders.stream().map(name -> new SecretPath("headers." + name, List.of(), name)));
    }

    /** The row has none. */
    public boolean isEmpty() {
        return ofPayload.isEmpty() && ofHeaders.isEmpty();
    }

    /** Some are in the payload. */
    public boolean arePartOfThePayload() {
        return !ofPayload.isEmpty();
    }

    /**
     * The payload without the secrets; the same when it holds none, empty when the paths cannot be applied to it, because it is not
     * JSON: then nobody knows what in it is secret.
     *
     * @param contentType of the payload; JSON is what says so
     */
    public Optional<Bytes> cut(Bytes payload, @Nullable String contentType) {
        if (ofPayload.isEmpty()) {
            return Optional.of(payload);
        }
        return find(payload, contentType)
                .map(found -> found.ranges().isEmpty()
                        ? payload
                        : Bytes.of(JsonCutter.replace(payload.array(), found.ranges(), CUT)));
    }

    /** The headers without the values of those that are secret; never touches one of Tailrace's own. */
    public Headers cut(Headers headers) {
        if (ofHeaders.isEmpty()) {
            return headers;
        }
        return Headers.of(headers.entries().stream()
                .map(entry -> isSecretHeader(entry.key()) ? new Headers.Entry(entry.key(), null) : entry)
                .toList());
    }

    /**
     * A row's headers, a JSON object, with an empty text in the place of each that is secret; empty when they are none.
     *
     * @param json as the row has them
     */
    public Optional<String> cutHeaders(String json) {
        if (ofHeaders.isEmpty()) {
            return Optional.of(json);
        }
        byte[] bytes = Bytes.utf8(json).array();
        try {
            JsonCutter.Found found = JsonCutter.find(
                    bytes, ofHeaders.stream().map(SecretPath::intoHeaders).toList());
            return Optional.of(Bytes.of(JsonCutter.replace(bytes, found.ranges(), EMPTY_TEXT))
                    .utf8());
        } catch (JsonCutter.Unreadable whatever) {
            return Optional.empty();
        }
    }

    /**
     * What hides the secrets of this row in texts.
     *
     * @param headers of the row; others may be among them
     */
    public Veil veil(@Nullable Bytes payload, @Nullable String contentType, Headers headers) {
        if (isEmpty()) {
            return Veil.NONE;
        }
        Set<String> values = new LinkedHashSet<>();
        for (Headers.Entry entry : headers.entries()) {
            Bytes value = entry.value();
            if (value != null && isSecretHeader(entry.key())) {
                values.add(value.utf8());
            }
        }
        if (payload != null && !ofPayload.isEmpty()) {
            Optional<JsonCutter.Found> found = find(payload, contentType);
            if (found.isEmpty()) {
                return Veil.WHOLE;
            }
            values.addAll(found.get().values());
        }
        return Veil.of(values);
    }

    /** Whether a header of that name is secret. */
    public boolean isSecretHeader(String key) {
        return !ofHeaders.isEmpty()
                && !HeaderName.isReserved(key)
                && (ofHeaders.contains(SecretPath.ANY) || ofHeaders.contains(key.toLowerCase(Locale.ROOT)));
    }

    private Optional<JsonCutter.Found> find(Bytes payload, @Nullable String contentType) {
        boolean isJson = contentType != null
                && JSON.matcher(contentType).matches()
                && !OTHER_CHARSET.matcher(contentType).matches();
        if (!isJson) {
            return Optional.empty();
        }
        try {
            return Optional.of(JsonCutter.find(payload.array(), ofPayload));
        } catch (JsonCutter.Unreadable whatever) {
            return Optional.empty();
        }
    }

    /** As they were written. */
    @Override
    public String toString() {
        return paths().map(SecretPath::text).toList().toString();
    }
}
