package io.tailrace.executor.scrub;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Secrets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Word that a row with secrets is done.
 *
 * @param partition where it was read
 * @param offset where it was read
 * @param saidAt milliseconds since 1970
 * @param isCommand whether the row is one
 * @param id of the row
 * @param paths of its secrets
 * @param xid of the transaction that may not be visible yet; empty if that is known to be over
 */
record Note(
        TopicPartition partition,
        long offset,
        long saidAt,
        boolean isCommand,
        UUID id,
        SecretPaths paths,
        OptionalLong xid) {

    /** Reads one; empty when it is no such word, of a row of another source, or of one without secrets. */
    static Optional<Note> of(ConsumerRecord<byte[], byte[]> record, String source, Secrets secrets) {
        Headers headers = KafkaHeaders.from(record.headers());
        boolean isOurs = headers.kind().filter(Kind.DONE::equals).isPresent()
                && headers.text(HeaderName.CE_SOURCE).filter(source::equals).isPresent();
        if (!isOurs) {
            return Optional.empty();
        }
        String name = headers.text(HeaderName.CE_TYPE).orElse("");
        // What is said of a command names its turn; what speaks of an event has none.
        boolean isCommand = headers.number(HeaderName.TURN).isPresent();
        SecretPaths paths = isCommand ? secrets.ofCommand(name) : secrets.ofEvent(name);
        if (paths.isEmpty()) {
            return Optional.empty();
        }
        return headers.text(HeaderName.CE_ID)
                .flatMap(Note::uuid)
                .map(id -> new Note(
                        new TopicPartition(record.topic(), record.partition()),
                        record.offset(),
                        record.timestamp(),
                        isCommand,
                        id,
                        paths,
                        headers.number(HeaderName.XID)));
    }

    private static Optional<UUID> uuid(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException notAnId) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "rowId=%s kind=%s note=%s@%d".formatted(id, isCommand ? "command" : "event", partition, offset);
    }
}
