package io.tailrace.operations.upkeep;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.operations.RawTopic;
import io.tailrace.operations.sweep.InHand;
import io.tailrace.operations.sweep.KeptEvents;
import io.tailrace.operations.sweep.KeptEvents.Kept;
import io.tailrace.operations.sweep.Overdue;
import io.tailrace.operations.sweep.OverdueDeliveries;
import io.tailrace.operations.sweep.OverdueDeliveries.Row;
import io.tailrace.operations.sweep.Seen;
import io.tailrace.operations.sweep.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Overdue events of a subscription, sent to its executors as a lane would release them: read again from where they were captured or, if
 * that is gone, from the outbox, unless secrets were taken out of it. If that has it no more either, the row is buried: nobody can run it
 * any more, and its key must go on. The claim decides, as ever: a turn that was settled meanwhile is not run, and what stands behind
 * another row waits. Used by one thread.
 */
final class LostDeliveries implements Overdue {

    private static final int MAX_BLOCK_MS = 30_000;

    private final TailraceConfig config;
    private final String subscription;
    private final OverdueDeliveries rows;
    private final KeptEvents outbox;
    private final Secrets secrets;

    LostDeliveries(TailraceConfig config, String subscription) {
        this.config = config;
        this.subscription = subscription;
        this.rows = new OverdueDeliveries(config.source().tables(), subscription, config.ceSource());
        this.outbox = new KeptEvents(config.source().tables(), config.ceSource());
        this.secrets = config.redact().secrets();
    }

    @Override
    public Seen count(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException {
        return rows.count(connection, overdue, but, waiting);
    }

    @Override
    public Seen wake(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException {
        Seen[] sent = {Seen.NONE};
        try (RawTopic raw = new RawTopic(config);
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings())) {
            rows.each(connection, overdue, but, waiting, some -> {
                List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
                for (Row row : some) {
                    records.add(record(row, find(connection, row, raw)));
                }
                send(producer, records);
                long dead = some.stream().filter(Row::isDead).count();
                sent[0] = sent[0].plus(new Seen(some.size() - dead, dead, 0));
            });
        }
        return sent[0];
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = ClientSettings.producer(config.kafka());
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, config.topics().maxRequestBytes());
        return settings;
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, List<ProducerRecord<byte[], byte[]>> records) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        records.forEach(record -> sent.add(producer.send(record)));
        try {
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        } catch (ExecutionException failed) {
            throw new KafkaException("overdue events could not be sent again", failed.getCause());
        } catch (InterruptedException stopping) {
            throw new InterruptException(stopping);
        }
    }

    private Optional<Kept> find(Connection connection, Row row, RawTopic raw) throws SQLException {
        Optional<Kept> captured = raw.at(row.rawPartition(), row.rawOffset())
                .filter(record -> isOf(row, record))
                .map(record -> new Kept(
                        KafkaHeaders.from(record.headers()).withoutDelivery(),
                        record.value() == null ? null : Bytes.of(record.value())));
        return captured.isPresent()
                ? captured
                : outbox.find(connection, row.id()).filter(this::isWhole);
    }

    /** A handler must not be given an event that is not what was committed. */
    private boolean isWhole(Kept event) {
        return secrets.ofEvent(event.headers().text(HeaderName.CE_TYPE).orElse(""))
                .isEmpty();
    }

    private ProducerRecord<byte[], byte[]> record(Row row, Optional<Kept> event) {
        Bytes payload = event.map(Kept::payload).orElse(null);
        Headers.Builder headers = event.map(each -> each.headers().toBuilder()).orElseGet(() -> ofTheRowAlone(row));
        headers.put(HeaderName.KIND, Kind.REDELIVERY.text())
                .put(HeaderName.SEQ, row.place().text())
                .put(HeaderName.PLACE, row.place().text())
                .put(HeaderName.TURN, row.turn())
                .put(HeaderName.PAYLOAD, event.isEmpty() ? "omitted" : payload == null ? "null" : "inline")
                .put(HeaderName.ORIGIN_TOPIC, config.topicNames().rawEvents())
                .put(HeaderName.ORIGIN_PARTITION, row.rawPartition())
                .put(HeaderName.ORIGIN_OFFSET, row.rawOffset());
        if (event.isEmpty() && !row.isDead()) {
            headers.put(HeaderName.KIND, Kind.BURY.text())
                    .put(HeaderName.REASON, Reason.ROW_GONE.text())
                    .put(HeaderName.STAGE, "upkeep")
                    .put(HeaderName.ERROR_CLASS, "RowGone")
                    .put(HeaderName.ERROR_MESSAGE, "neither the raw topic nor the outbox has the event any more");
        }
        byte[] key = Bytes.utf8(row.orderingKey() == null ? row.id().toString() : row.orderingKey())
                .array();
        return new ProducerRecord<>(
                config.topicNames().redelivery(subscription),
                null,
                key,
                payload == null ? null : payload.array(),
                KafkaHeaders.to(headers.build()));
    }

    /** A topic that was made anew has something else there. */
    private static boolean isOf(Row row, ConsumerRecord<byte[], byte[]> record) {
        Headers headers = KafkaHeaders.from(record.headers());
        boolean isOmitted =
                headers.text(HeaderName.PAYLOAD).filter("omitted"::equals).isPresent();
        return !isOmitted
                && headers.text(HeaderName.CE_ID)
                        .filter(row.id().toString()::equals)
                        .isPresent();
    }

    private Headers.Builder ofTheRowAlone(Row row) {
        return Headers.builder()
                .put(HeaderName.CE_ID, row.id().toString())
                .putIfPresent(HeaderName.CE_TYPE, row.name())
                .put(HeaderName.CE_SOURCE, config.ceSource())
                .putIfPresent(HeaderName.CE_PARTITIONKEY, row.orderingKey());
    }
}
