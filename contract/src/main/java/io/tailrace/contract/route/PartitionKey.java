package io.tailrace.contract.route;

import io.tailrace.contract.header.HeaderName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What the key of a record at its destination is, and so its partition. Where it is something else than the ordering key, the order of
 * rows of one ordering key is not kept there.
 *
 * @param text as it is written in the configuration
 * @param header whose value is the key; empty where the key stays what it is, the ordering key, else the row id
 */
public record PartitionKey(String text, String header) implements Comparable<PartitionKey> {

    /** The ordering key, else the row id: the key that the row has come with. */
    public static final PartitionKey ORDERING_KEY = new PartitionKey("ordering-key", "");

    private static final String OWN_HEADER = "header:";

    private static final Map<String, PartitionKey> WORDS = words();

    public PartitionKey {
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(header, "header");
    }

    /**
     * One of {@code ordering-key}, {@code row-id}, {@code tenant-id}, {@code user-id}, {@code correlation-id} and
     * {@code header:<name>}.
     *
     * @throws IllegalArgumentException when it is none of them
     */
    public static PartitionKey parse(String text) {
        PartitionKey word = WORDS.get(text);
        if (word != null) {
            return word;
        }
        String header = text.startsWith(OWN_HEADER) ? text.substring(OWN_HEADER.length()) : "";
        if (header.isBlank() || !header.equals(header.strip())) {
            throw new IllegalArgumentException("must be one of %s, or header:<name>".formatted(WORDS.keySet()));
        }
        return new PartitionKey(text, header);
    }

    /** Whether the key stays the one that the row has come with. */
    public boolean isOrderingKey() {
        return header.isEmpty();
    }

    @Override
    public int compareTo(PartitionKey other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }

    private static Map<String, PartitionKey> words() {
        Map<String, PartitionKey> words = new LinkedHashMap<>();
        words.put(ORDERING_KEY.text, ORDERING_KEY);
        Map.of(
                        "row-id", HeaderName.CE_ID,
                        "tenant-id", HeaderName.CE_TENANTID,
                        "user-id", HeaderName.CE_USERID,
                        "correlation-id", HeaderName.CE_CORRELATIONID)
                .entrySet()
                .stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(each -> words.put(
                        each.getKey(),
                        new PartitionKey(each.getKey(), each.getValue().key())));
        return words;
    }
}
