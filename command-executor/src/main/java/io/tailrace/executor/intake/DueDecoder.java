package io.tailrace.executor.intake;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.executor.claim.ClaimRequest;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads what the router wrote of one source. Total: what makes no sense is a value that says why. */
final class DueDecoder implements RecordReader {

    /** Ids of transactions have 32 bits in the WAL. */
    private static final long LARGEST_XID = 0xFFFF_FFFFL;

    private final String redelivery;
    private final String ownSource;

    /** @param ownSource whose rows are run here */
    DueDecoder(Topics topics, String ownSource) {
        this.redelivery = topics.redelivery(Topics.COMMANDS);
        this.ownSource = ownSource;
    }

    @Override
    public Decoded decode(ConsumerRecord<byte[], byte[]> read) {
        Headers headers = KafkaHeaders.from(read.headers());
        boolean released = read.topic().equals(redelivery);
        Optional<String> source = headers.text(HeaderName.CE_SOURCE);
        if (source.isEmpty()) {
            return new Unreadable("it needs ce_source, the database whose row it is");
        }
        if (!source.get().equals(ownSource)) {
            return new Foreign(source.get());
        }
        UUID id = uuid(headers.text(HeaderName.CE_ID).orElse(""));
        OptionalInt turn = headers.smallNumber(HeaderName.TURN);
        Optional<Place> place = released ? headers.place(HeaderName.PLACE) : dueAt(headers, read.offset());
        if (id == null || place.isEmpty()) {
            return new Unreadable("it needs ce_id (a UUID) and " + (released ? "tailrace-place" : "tailrace-seq"));
        }
        if (released && turn.isEmpty()) {
            return new Unreadable("a released row needs tailrace-turn");
        }
        OptionalLong xid = headers.number(HeaderName.XID);
        ClaimRequest row = new ClaimRequest(
                id,
                ownSource,
                headers.text(HeaderName.CE_PARTITIONKEY).orElse(null),
                place.get(),
                turn.orElse(0),
                xid.isPresent() && xid.getAsLong() >= 0 && xid.getAsLong() <= LARGEST_XID ? xid : OptionalLong.empty(),
                headers.kind().filter(kind -> kind == Kind.BURY).isPresent());
        return new Due(new DueRecord(
                new TopicPartition(read.topic(), read.partition()),
                read.offset(),
                read.key() == null ? Bytes.utf8(id.toString()) : Bytes.of(read.key()),
                read.value() == null ? null : Bytes.of(read.value()),
                headers,
                released,
                row));
    }

    /** The place of a command is the order in which it became due: the offset of this record, in the epoch of its raw topic. */
    private static Optional<Place> dueAt(Headers headers, long offset) {
        return headers.place(HeaderName.SEQ).map(seq -> new Place(seq.epoch(), offset));
    }

    static @Nullable UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException notAnId) {
            return null;
        }
    }

    static Decoded due(DueRecord row) {
        return new Due(row);
    }

    static Decoded unreadable(String problem) {
        return new Unreadable(problem);
    }

    /** What was read. */
    sealed interface Decoded {
        /**
         * Takes one of the three ways.
         *
         * @param foreign given the source whose row it is: an executor of that one reads the same topics
         */
        <T> T match(Function<DueRecord, T> due, Function<String, T> foreign, Function<String, T> unreadable);
    }

    private record Due(DueRecord row) implements Decoded {
        @Override
        public <T> T match(Function<DueRecord, T> due, Function<String, T> foreign, Function<String, T> unreadable) {
            return due.apply(row);
        }
    }

    private record Foreign(String source) implements Decoded {
        @Override
        public <T> T match(Function<DueRecord, T> due, Function<String, T> foreign, Function<String, T> unreadable) {
            return foreign.apply(source);
        }
    }

    private record Unreadable(String problem) implements Decoded {
        @Override
        public <T> T match(Function<DueRecord, T> due, Function<String, T> foreign, Function<String, T> unreadable) {
            return unreadable.apply(problem);
        }
    }
}
