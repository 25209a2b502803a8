package io.tailrace.engine.capture;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import java.util.Optional;
import java.util.Set;

/**
 * Makes every record fit its topic. A record that Kafka refuses would abort the transaction of its batch, again after every restart:
 * one row would stop all others for ever. So what does not fit goes out without its payload, and the payload stays in the table.
 *
 * @param maxBytes largest record that the raw topics take, batch overhead included
 */
public record SizeLimit(int maxBytes) {

    private static final String OMITTED = "omitted";

    /** Of a batch of one record, plus the largest fixed part of the record: DefaultRecordBatch and DefaultRecord of kafka-clients. */
    private static final int FIXED_BYTES = 61 + 21;

    /** A length that stands before bytes, written as a varint. */
    private static final int LENGTH_BYTES = 5;

    /** A name longer than any that can be routed is only shown. */
    private static final int SHOWN_NAME_BYTES = 1024;

    /**
     * What a record must keep to be a dead letter of some row. {@code content-type}, which every record with a payload has, is not among
     * it: by that a replay knows that more is missing than the payload.
     */
    private static final Set<String> BARE = Set.of(
            HeaderName.CE_SPECVERSION.key(),
            HeaderName.CE_ID.key(),
            HeaderName.CE_SOURCE.key(),
            HeaderName.CE_TIME.key(),
            HeaderName.SEQ.key(),
            HeaderName.XID.key(),
            HeaderName.KIND.key(),
            HeaderName.CONTROL.key(),
            HeaderName.SUBSCRIPTION.key(),
            HeaderName.TURN.key(),
            HeaderName.PLACE.key(),
            HeaderName.NOT_BEFORE.key());

    /** The record, or as much of it as fits. */
    RawRecord fit(RawRecord record) {
        int bytes = upperBound(record);
        if (bytes <= maxBytes) {
            return record;
        }
        RawRecord omitted = new RawRecord(record.topic(), record.key(), null, tooLarge(record.headers(), bytes));
        return upperBound(omitted) <= maxBytes ? omitted : bare(record, bytes);
    }

    private Headers tooLarge(Headers headers, int bytes) {
        String message = "the record takes %d bytes, the raw topic %d".formatted(bytes, maxBytes);
        return headers.toBuilder()
                .put(HeaderName.PAYLOAD, OMITTED)
                .put(HeaderName.REASON, Reason.TOO_LARGE.text())
                .put(HeaderName.ERROR_MESSAGE, message)
                .build();
    }

    /** Even key or headers are too large. It is dead on arrival, so its order no longer matters and its id serves as key. */
    private RawRecord bare(RawRecord record, int bytes) {
        Headers.Builder kept = Headers.builder();
        for (Headers.Entry entry : record.headers().entries()) {
            if (BARE.contains(entry.key())) {
                kept.add(entry.key(), entry.value());
            }
        }
        record.headers()
                .text(HeaderName.CE_TYPE)
                .ifPresent(name -> kept.put(HeaderName.CE_TYPE, ErrorTrail.bounded(name, SHOWN_NAME_BYTES)));
        Optional<String> id = record.headers().text(HeaderName.CE_ID);
        Bytes key = id.map(Bytes::utf8).orElse(record.key());
        return new RawRecord(record.topic(), key, null, tooLarge(kept.build(), bytes));
    }

    /** Whether the payload was left out of a record because it is too large. */
    public static boolean isCut(RawRecord record) {
        return record.value() == null
                && record.headers()
                        .text(HeaderName.PAYLOAD)
                        .filter(OMITTED::equals)
                        .isPresent();
    }

    static int upperBound(RawRecord record) {
        Bytes value = record.value();
        long bytes = FIXED_BYTES + 3L * LENGTH_BYTES + record.key().length() + (value == null ? 0 : value.length());
        for (Headers.Entry entry : record.headers().entries()) {
            Bytes header = entry.value();
            // A header's name is ASCII, or one of the row's own, which are 16 KiB at most: three bytes a char is bound
            // enough.
            bytes += 2L * LENGTH_BYTES + 3L * entry.key().length() + (header == null ? 0 : header.length());
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }
}
