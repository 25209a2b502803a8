package io.tailrace.benchmarks.contender;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.Header;
import io.debezium.engine.format.JsonByteArray;
import io.debezium.engine.format.KeyValueHeaderChangeEventFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The peer: Debezium with EventRouter, JSON without schemas, and a plain producer that is waited for at the end of each batch. That is
 * what Debezium Server does with its Kafka sink, without the container around it.
 */
final class PeerPipeline implements Pipeline {

    private final KafkaProducer<byte[], byte[]> producer;
    private final DebeziumEngine<ChangeEvent<byte[], byte[]>> debezium;
    private final Thread thread;
    private volatile long acknowledged;
    private volatile @Nullable Throwable failure;

    PeerPipeline(Servers servers, Site site, Map<String, String> own) {
        this.producer = PlainProducer.of(servers);
        this.debezium = DebeziumEngine.create(KeyValueHeaderChangeEventFormat.of(
                        JsonByteArray.class, JsonByteArray.class, JsonByteArray.class))
                .using(settings(servers, site, own))
                .using((success, message, error) ->
                        failure = error == null ? new IllegalStateException("Debezium has ended: " + message) : error)
                .notifying(this::handle)
                .build();
        this.thread = new Thread(debezium, "peer-" + site.database());
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public long delivered() {
        Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException("Debezium has failed", failed);
        }
        return acknowledged;
    }

    @Override
    public void close() {
        try {
            debezium.close();
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new IllegalStateException("Debezium does not close", e);
        } finally {
            producer.close();
        }
    }

    // One thread writes, so that reading and writing the count need not be one step.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void handle(
            List<ChangeEvent<byte[], byte[]>> changes, RecordCommitter<ChangeEvent<byte[], byte[]>> committer)
            throws InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>(changes.size());
        for (ChangeEvent<byte[], byte[]> change : changes) {
            RecordHeaders headers = new RecordHeaders();
            for (Header<byte[]> header : change.<byte[]>headers()) {
                headers.add(header.getKey(), header.getValue());
            }
            sent.add(producer.send(
                    new ProducerRecord<>(change.destination(), null, null, change.key(), change.value(), headers)));
        }
        for (int i = 0; i < sent.size(); i++) {
            try {
                sent.get(i).get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("a row was not acknowledged", e.getCause());
            }
            committer.markProcessed(changes.get(i));
        }
        committer.markBatchFinished();
        acknowledged += changes.size();
    }

    private static Properties settings(Servers servers, Site site, Map<String, String> own) {
        Properties settings = new Properties();
        settings.setProperty("name", site.database());
        settings.setProperty("topic.prefix", site.database());
        settings.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        settings.setProperty("database.hostname", Servers.HOST);
        settings.setProperty("database.port", Integer.toString(servers.postgresPort()));
        settings.setProperty("database.user", Servers.USER);
        settings.setProperty("database.password", "");
        settings.setProperty("database.dbname", site.database());
        settings.setProperty("plugin.name", "pgoutput");
        settings.setProperty("slot.name", site.ownership().slot());
        settings.setProperty("publication.name", site.ownership().publication());
        settings.setProperty("publication.autocreate.mode", "disabled");
        settings.setProperty("table.include.list", "public.outboxevent");
        settings.setProperty("snapshot.mode", "no_data");
        settings.setProperty("tombstones.on.delete", "false");
        settings.setProperty("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        // Room for whatever the reader can produce ahead of the rest.
        settings.setProperty("max.batch.size", "32768");
        settings.setProperty("max.queue.size", "262144");
        settings.setProperty("poll.interval.ms", "10");
        settings.setProperty("converter.schemas.enable", "false");
        settings.setProperty("transforms", "outbox");
        settings.setProperty("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
        settings.setProperty("transforms.outbox.route.topic.replacement", site.peerTopicOf("${routedByValue}"));
        settings.setProperty(
                "transforms.outbox.table.fields.additional.placement",
                "type:header,tenant_id:header,user_id:header,user_roles:header,correlation_id:header,causation_id:header,"
                        + "traceparent:header");
        own.forEach(settings::setProperty);
        return settings;
    }
}
