package io.tailrace.benchmarks.profile;

import java.util.Arrays;
import java.util.List;

/**
 * A piece of work that a row costs. What a method does counts for the innermost part that it was called for, unless the part is one
 * that {@link #keepsAll}: then all that it calls is its own, however deep.
 */
enum Part {
    METRICS(
            "Debezium: JMX metrics, LastEvent among them",
            true,
            "io.debezium.pipeline.metrics.",
            "io.debezium.pipeline.meters."),
    QUEUE_BYTES("Debezium: size of a change in bytes", true, "io.debezium.util.ApproximateStructSizeCalculator"),
    SOURCE_BLOCK(
            "source block of a change",
            true,
            "io.debezium.connector.AbstractSourceInfo",
            "io.debezium.connector.postgresql.SourceInfo",
            "io.debezium.connector.postgresql.PostgresSourceInfoStructMaker"),
    OFFSETS(
            "Debezium: offset of a change",
            true,
            "io.debezium.connector.postgresql.PostgresOffsetContext",
            "io.debezium.embedded.async.AsyncEmbeddedEngine.commitOffset",
            "org.apache.kafka.connect.storage.OffsetStorage"),
    TRANSFORMS("Debezium: transforms (EventRouter)", true, "io.debezium.transforms."),
    CONVERTERS(
            "Debezium: conversion to JSON", true, "org.apache.kafka.connect.json.", "io.debezium.embedded.Converter"),
    DRIVER("PostgreSQL driver", false, "org.postgresql."),
    DECODING(
            "Debezium: decoding of pgoutput",
            false,
            "io.debezium.connector.postgresql.connection.",
            "io.debezium.relational.TableId"),
    VALUES(
            "Debezium: row to Struct",
            false,
            "io.debezium.relational.",
            "io.debezium.data.",
            "io.debezium.jdbc.",
            "io.debezium.connector.postgresql.PostgresValueConverter",
            "io.debezium.connector.postgresql.PostgresChangeRecordEmitter"),
    QUEUE("Debezium: queue", false, "io.debezium.connector.base."),
    STORES("router: stores", true, "org.rocksdb.", "org.apache.kafka.streams.state."),
    DECIDING("router: decode, decide, compose, redact", false, "io.tailrace.router.", "io.tailrace.contract.header."),
    STREAMS("Kafka Streams", false, "org.apache.kafka.streams."),
    MAPPING("Tailrace: change to raw record", false, "io.tailrace.engine.capture.", "io.tailrace.contract."),
    PRODUCER("Kafka clients", false, "org.apache.kafka.clients.", "org.apache.kafka.common."),
    PUBLISHING("Tailrace: batch, position, transaction", false, "io.tailrace.engine.", "io.tailrace.broker."),
    HARNESS("the harness", false, "io.tailrace.benchmarks."),
    DEBEZIUM("Debezium: dispatching and the rest", false, "io.debezium."),
    OTHER("other", false);

    private final String text;
    private final boolean keepsAll;
    private final List<String> prefixes;

    Part(String text, boolean keepsAll, String... prefixes) {
        this.text = text;
        this.keepsAll = keepsAll;
        this.prefixes = List.of(prefixes);
    }

    /** For people. */
    String text() {
        return text;
    }

    /**
     * Whose work a stack does.
     *
     * @param frames {@code class.method}, the innermost first
     */
    static Part of(List<String> frames) {
        for (Part part : values()) {
            if (part.keepsAll && frames.stream().anyMatch(part::has)) {
                return part;
            }
        }
        return frames.stream()
                .flatMap(frame ->
                        Arrays.stream(values()).filter(part -> part.has(frame)).limit(1))
                .findFirst()
                .orElse(OTHER);
    }

    private boolean has(String frame) {
        return prefixes.stream().anyMatch(frame::startsWith);
    }
}
