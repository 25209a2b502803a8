package io.tailrace.engine.log;

import io.tailrace.contract.config.EngineConfig;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.source.Source;
import java.util.Properties;

/** Debezium's options, each that differs from its default with the reason. */
public final class DebeziumSettings {

    private DebeziumSettings() {}

    /**
     * Options for one run.
     *
     * @param offsetStore class of the offset store, which must have a constructor without parameters
     * @param heartbeatQuery see {@link Source#heartbeatQuery()}
     */
    public static Properties of(
            SourceConfig source,
            EngineConfig engine,
            String slot,
            String publication,
            String offsetStore,
            String heartbeatQuery) {
        Properties settings = new Properties();
        settings.setProperty("name", slot);
        settings.setProperty("topic.prefix", slot);
        settings.setProperty("connector.class", LogConnector.class.getName());
        source(settings, source);
        slot(settings, slot, publication, source.tables());
        changes(settings);
        progress(settings, engine, offsetStore, heartbeatQuery);
        queue(settings, engine);
        return settings;
    }

    private static void source(Properties settings, SourceConfig source) {
        settings.setProperty("database.hostname", source.host());
        settings.setProperty("database.port", Integer.toString(source.port()));
        settings.setProperty("database.user", source.user());
        settings.setProperty("database.password", source.password().reveal());
        settings.setProperty("database.dbname", source.database());
        settings.setProperty("database.sslmode", source.sslMode());
    }

    private static void slot(Properties settings, String slot, String publication, TableNames tables) {
        settings.setProperty("plugin.name", "pgoutput");
        settings.setProperty("slot.name", slot);
        settings.setProperty("publication.name", publication);
        // Slot and publication are the migration's: made by chance, they would begin wherever the log happens to be.
        settings.setProperty("publication.autocreate.mode", "disabled");
        // None of its strategies protects, two of them lose rows for good; the pre-flight is ours.
        settings.setProperty("offset.mismatch.strategy", "no_validation");
        // It compares lsn_proc, for us one byte before the last commit, with the slot's restart_lsn, which may well
        // be that commit: a healthy slot, refused.
        settings.setProperty("internal.log.position.check.enable", "false");
        settings.setProperty("lsn.flush.mode", "connector");
        // Who held the slot before is ended before a run begins. But Debezium itself connects twice, to search and
        // to stream, and the server may take a moment to let go of the first. Short, so that a stop is not held up.
        settings.setProperty("slot.max.retries", "25");
        settings.setProperty("slot.retry.delay.ms", "200");
        // Rows that were there before the slot are nobody's business here.
        settings.setProperty("snapshot.mode", "no_data");
        settings.setProperty("schema.include.list", pattern(tables.schema()));
        settings.setProperty(
                "table.include.list",
                pattern(tables.schema() + "." + tables.outbox()) + ","
                        + pattern(tables.schema() + "." + tables.internalCommand()));
    }

    private static void changes(Properties settings) {
        // On, it moves the offset to COMMIT events, one of the two ways in which the stock resume loses rows.
        settings.setProperty("provide.transaction.metadata", "false");
        settings.setProperty("record.processing.threads", "1");
    }

    private static void progress(Properties settings, EngineConfig engine, String offsetStore, String heartbeatQuery) {
        settings.setProperty("offset.storage", offsetStore);
        // At once: otherwise the slot stays behind what Kafka has by up to a minute.
        settings.setProperty("offset.flush.interval.ms", "0");
        settings.setProperty(
                "heartbeat.interval.ms",
                Long.toString(engine.heartbeatInterval().toMillis()));
        settings.setProperty("heartbeat.action.query", heartbeatQuery);
        // A retry inside drops the batch it was in. Any failure ends the run; the next begins at the position in Kafka.
        settings.setProperty("errors.max.retries", "0");
        settings.setProperty("executor.shutdown.timeout.ms", "2000");
        settings.setProperty("lsn.flush.timeout.ms", "3000");
    }

    private static void queue(Properties settings, EngineConfig engine) {
        settings.setProperty(
                "poll.interval.ms", Long.toString(engine.pollInterval().toMillis()));
        settings.setProperty("max.batch.size", Integer.toString(engine.maxBatchSize()));
        settings.setProperty("max.queue.size", Integer.toString(engine.maxQueueSize()));
        settings.setProperty("max.queue.size.in.bytes", Long.toString(engine.maxQueueBytes()));
    }

    /** A regular expression for exactly this text, without a comma, which would split the list. */
    static String pattern(String text) {
        StringBuilder pattern = new StringBuilder();
        text.codePoints().forEach(c -> {
            boolean plain = c == '_' || (c < 128 && Character.isLetterOrDigit(c));
            pattern.append(plain ? Character.toString(c) : "\\x{%x}".formatted(c));
        });
        return pattern.toString();
    }
}
