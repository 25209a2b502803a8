package io.tailrace.executor.intake;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.executor.claim.ClaimRequest;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A record that says: this command is due.
 *
 * @param partition where it was read
 * @param offset where it was read
 * @param key of the record, and so of every answer to it
 * @param value of the record, absent when it carries no payload
 * @param headers as read
 * @param released by the router from a lane: it is answered whatever becomes of it
 * @param row what it says of its row
 */
public record DueRecord(
        TopicPartition partition,
        long offset,
        Bytes key,
        @Nullable Bytes value,
        Headers headers,
        boolean released,
        ClaimRequest row) {

    /** The command's name as the record has it; the row's is the true one. */
    public String name() {
        return headers.text(HeaderName.CE_TYPE).orElse("");
    }

    /** Equal for the rows of its partition that run one after the other: a source's key, or this very record if it has none. */
    Object queueKey() {
        String ordering = row.orderingKey();
        return ordering == null ? (Object) offset : new SourceKey(row.source(), ordering);
    }

    private record SourceKey(String source, String key) {}

    /** For logs: where it was read, which row, and no more. */
    @Override
    public String toString() {
        return "%s@%d rowId=%s turn=%d".formatted(partition, offset, row.id(), row.turn());
    }
}
