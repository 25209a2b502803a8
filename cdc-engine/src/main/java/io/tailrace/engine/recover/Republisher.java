package io.tailrace.engine.recover;

import io.tailrace.contract.record.Bytes;
import io.tailrace.engine.capture.CaptureSettings;
import io.tailrace.engine.capture.RawRecord;
import io.tailrace.engine.capture.TableMapper;
import io.tailrace.engine.publish.RawProducer;
import io.tailrace.engine.source.Comparison;
import io.tailrace.engine.source.TableRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Publishes rows in chunks, each in one Kafka transaction. Never holds more than a chunk. Not thread-safe. */
final class Republisher implements Comparison.Taker, Comparison.ActTaker {

    /** Rows of one transaction: it must be over long before its timeout. */
    static final int CHUNK_ROWS = 2_000;

    private static final long CHUNK_BYTES = 8L << 20;

    private static final int PROGRESS_EVERY = 10_000;

    private final RawProducer producer;
    private final TableMapper mapper;
    private final int chunkRows;
    private final Consumer<String> progress;
    private final List<RawRecord> chunk = new ArrayList<>();
    private long chunkBytes;
    private long events;
    private long commands;
    private long acts;
    private long told;

    Republisher(RawProducer producer, CaptureSettings settings, int chunkRows, Consumer<String> progress) {
        this.producer = Objects.requireNonNull(producer);
        this.mapper = new TableMapper(settings);
        this.chunkRows = chunkRows;
        this.progress = Objects.requireNonNull(progress);
    }

    @Override
    public void take(TableRow row) {
        if (row.command()) {
            commands++;
        } else {
            events++;
        }
        add(mapper.map(row));
    }

    @Override
    public void take(String content, long xid, long micros) {
        acts++;
        add(mapper.act(content, xid, micros));
    }

    private void add(RawRecord record) {
        chunk.add(record);
        Bytes value = record.value();
        chunkBytes += record.headers().sizeInBytes() + (value == null ? 0 : value.length());
        if (chunk.size() >= chunkRows || chunkBytes >= CHUNK_BYTES) {
            finish();
        }
    }

    /** Publishes what is left. */
    void finish() {
        if (chunk.isEmpty()) {
            return;
        }
        producer.commit(chunk);
        chunk.clear();
        chunkBytes = 0;
        // The first chunk too: from then on what is seen is that it moves.
        if (told == 0 || events + commands - told >= PROGRESS_EVERY) {
            told = events + commands;
            progress.accept("published %,d rows".formatted(told));
        }
    }

    long events() {
        return events;
    }

    long commands() {
        return commands;
    }

    long acts() {
        return acts;
    }
}
