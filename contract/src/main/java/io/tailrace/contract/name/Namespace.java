package io.tailrace.contract.name;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The namespace of one application on a cluster. Topics, slot, publication, groups, stores and transactional ids are derived from
 * it, so that two applications never share one by accident. Where a source is asked for its name is meant: its database, unless it is
 * configured with another one.
 *
 * @param value 1 to 40 characters, {@code [a-z][a-z0-9_-]*}: no dot, because a dot ends the namespace in a topic name
 */
public record Namespace(String value) {

    /** Longest namespace, so that {@code <ns>.<subscription>.redelivery} stays under Kafka's 249 characters with room to spare. */
    public static final int MAX_LENGTH = 40;

    private static final Pattern FORM = Pattern.compile("[a-z][a-z0-9_-]*");

    /** PostgreSQL: NAMEDATALEN - 1. */
    private static final int MAX_IDENTIFIER = 63;

    public Namespace {
        Objects.requireNonNull(value, "namespace");
        if (value.length() > MAX_LENGTH || !FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "namespace '%s' must be 1 to %d characters of a-z, 0-9, '_' and '-', beginning with a letter"
                            .formatted(value, MAX_LENGTH));
        }
    }

    /** The replication slot of a source, a legal slot name: {@code tailrace_<ns>_<source>}. */
    public String slot(String source) {
        return identifier(source);
    }

    /** The publication of a source; slots and publications live in different spaces and share one name. */
    public String publication(String source) {
        return identifier(source);
    }

    /** The value of {@code ce_source} for the rows of a source: {@code <ns>/<source>}. */
    public String source(String source) {
        return value + "/" + source;
    }

    /** {@code application.id} of the router, which is also the prefix of its changelog topics. */
    public String routerApplicationId() {
        return value + ".router";
    }

    /**
     * Consumer group of the executors of a subscription ({@code commands} among them) for one source. Each source has its own, so that one
     * whose database is down holds up nobody else's offsets.
     */
    public String executorGroup(String subscription, String source) {
        return value + ".executor." + subscription + "." + source;
    }

    /** Consumer group of those who take the secrets out of the rows of a source. */
    public String scrubGroup(String source) {
        return value + ".scrub." + source;
    }

    /** {@code transactional.id} of the engine of one slot: whoever holds it fences the one before. */
    public String engineTransactionalId(String slot) {
        return value + ".engine." + slot;
    }

    /** {@code transactional.id} of whoever replays dead letters of {@code x}: a second operator fences the first. */
    public String replayTransactionalId(String x) {
        return value + ".replay." + x;
    }

    private String identifier(String source) {
        String wanted = "tailrace_" + value + "_" + source;
        String legal = wanted.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
        if (legal.equals(wanted) && legal.length() <= MAX_IDENTIFIER) {
            return legal;
        }
        CRC32 crc = new CRC32();
        crc.update(wanted.getBytes(StandardCharsets.UTF_8));
        String suffix = "_%08x".formatted(crc.getValue());
        return legal.substring(0, Math.min(legal.length(), MAX_IDENTIFIER - suffix.length())) + suffix;
    }

    @Override
    public String toString() {
        return value;
    }
}
