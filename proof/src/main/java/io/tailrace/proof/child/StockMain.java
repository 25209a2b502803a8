package io.tailrace.proof.child;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.ChangeConsumer;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.engine.capture.ChangeMapper;
import io.tailrace.engine.capture.RawRecord;
import io.tailrace.engine.log.Change;
import io.tailrace.engine.log.Columns;
import io.tailrace.engine.log.DebeziumSettings;
import io.tailrace.engine.log.LogPoint;
import io.tailrace.engine.publish.BatchWatcher.Step;
import io.tailrace.engine.publish.RawSettings;
import io.tailrace.engine.source.Position;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * The control: Debezium's own stream, without the tap, the same mapping and an idempotent producer that is waited for, but Debezium's own offsets, in a Kafka
 * topic, stored after each batch, and its own search for the place to resume at. That is how Debezium Server is set up by its own
 * manual, heartbeats on. At least once is what it promises. Arguments: {@link Site#arguments}.
 */
public final class StockMain implements ChangeConsumer<RecordChangeEvent<SourceRecord>> {

    private static final String OFFSETS = "proof.stock-offsets";

    private static final long RESTART_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Parent parent;
    private final ChangeMapper mapper;
    private final KafkaProducer<byte[], byte[]> producer;

    private StockMain(Parent parent, TailraceConfig config) {
        this.parent = parent;
        this.mapper = new ChangeMapper(RawSettings.of(config, Position.FIRST_EPOCH));
        Map<String, Object> settings = ClientSettings.producer(config.kafka());
        settings.put("linger.ms", 5);
        this.producer = new KafkaProducer<>(settings);
    }

    /** Runs until it is killed; when Debezium ends it is started again, as a supervisor would. */
    public static void main(String[] arguments) throws Exception {
        Parent parent = Parent.listening();
        TailraceConfig config = Site.of(arguments).config();
        StockMain stock = new StockMain(parent, config);
        while (true) {
            parent.tell(Parent.SEARCHING);
            // Returns when it has ended, and has said to its log why.
            DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                    .using(settings(config))
                    .notifying(stock)
                    .build()
                    .run();
            System.err.println("Debezium has ended and is started again");
            LockSupport.parkNanos(RESTART_NANOS);
        }
    }

    @Override
    public void handleBatch(
            List<RecordChangeEvent<SourceRecord>> changes, RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        List<RawRecord> records = new ArrayList<>();
        for (RecordChangeEvent<SourceRecord> change : changes) {
            change(change.record()).flatMap(known -> mapper.map(known).record()).ifPresent(records::add);
        }
        parent.reached(Step.BEFORE_SEND, records.size());
        List<Future<RecordMetadata>> sent =
                records.stream().map(record -> producer.send(toKafka(record))).toList();
        parent.reached(Step.BEFORE_COMMIT, records.size());
        for (Future<RecordMetadata> each : sent) {
            await(each);
        }
        parent.reached(Step.AFTER_COMMIT, records.size());
        for (RecordChangeEvent<SourceRecord> change : changes) {
            committer.markProcessed(change);
        }
        parent.reached(Step.BEFORE_FLUSH, records.size());
        committer.markBatchFinished();
    }

    /** A row or a message as the tap of Tailrace's engine would have taken it; empty for all else. */
    private static Optional<Change> change(SourceRecord record) {
        if (!(record.value() instanceof Struct change)) {
            return Optional.empty();
        }
        LogPoint at = new LogPoint(0, number(record, "txId"), 0, number(record, "ts_usec"));
        if (change.schema().field("message") != null) {
            Struct message = change.getStruct("message");
            ByteBuffer content = ByteBuffer.wrap(message.getBytes("content"));
            byte[] bytes = new byte[content.remaining()];
            content.get(bytes);
            return Optional.of(Change.message(at, message.getString("prefix"), bytes));
        }
        if (change.schema().field("after") == null || !"c".equals(change.get("op"))) {
            return Optional.empty();
        }
        Struct row = change.getStruct("after");
        List<Field> fields = row.schema().fields();
        Columns columns = Columns.named(fields.stream().map(Field::name).toList());
        return Optional.of(Change.row(at, columns, fields.stream().map(row::get).toArray()));
    }

    private static long number(SourceRecord record, String key) {
        return record.sourceOffset().get(key) instanceof Number number ? number.longValue() : 0;
    }

    private static void await(Future<RecordMetadata> sent) throws InterruptedException {
        try {
            sent.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a row was not acknowledged", e.getCause());
        }
    }

    private static ProducerRecord<byte[], byte[]> toKafka(RawRecord record) {
        @Nullable Bytes value = record.value();
        return new ProducerRecord<>(
                record.topic(),
                null,
                record.key().array(),
                value == null ? null : value.array(),
                KafkaHeaders.to(record.headers()));
    }

    /** Ours for the capture; for all that decides where it resumes, Debezium's. */
    private static Properties settings(TailraceConfig config) {
        Properties settings = DebeziumSettings.of(
                config.source(),
                config.engine(),
                config.slot(),
                config.publication(),
                "org.apache.kafka.connect.storage.KafkaOffsetBackingStore",
                "SELECT pg_logical_emit_message(true, 'tailrace.heartbeat', '" + config.slot() + "')");
        settings.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        for (String ours : List.of(
                "offset.mismatch.strategy",
                "internal.log.position.check.enable",
                "provide.transaction.metadata",
                "errors.max.retries",
                "max.batch.size",
                "max.queue.size",
                "max.queue.size.in.bytes")) {
            settings.remove(ours);
        }
        // Of no meaning where a tap takes rows before they are converted; here Debezium makes them into records.
        settings.setProperty("message.prefix.include.list", "tailrace\\..*");
        settings.setProperty("binary.handling.mode", "bytes");
        settings.setProperty("tombstones.on.delete", "false");
        settings.setProperty("event.converting.failure.handling.mode", "fail");
        settings.setProperty("bootstrap.servers", config.kafka().bootstrapServers());
        settings.setProperty("offset.storage.topic", OFFSETS);
        settings.setProperty("offset.storage.partitions", "1");
        settings.setProperty("offset.storage.replication.factor", "1");
        return settings;
    }
}
