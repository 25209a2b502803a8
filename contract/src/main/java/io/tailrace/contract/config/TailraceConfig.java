package io.tailrace.contract.config;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import java.util.Objects;

/** The whole configuration of one process. */
public record TailraceConfig(
        Namespace namespace,
        SourceConfig source,
        KafkaConfig kafka,
        TopicsConfig topics,
        EngineConfig engine,
        RouterConfig router,
        ExecutorConfig executor,
        HttpConfig http) {

    public TailraceConfig {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(kafka, "kafka");
        Objects.requireNonNull(topics, "topics");
        Objects.requireNonNull(engine, "engine");
        Objects.requireNonNull(router, "router");
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(http, "http");
    }

    /** The names of this namespace's topics. */
    public Topics topicNames() {
        return new Topics(namespace);
    }

    /** Slot of the source. */
    public String slot() {
        return namespace.slot(source.database());
    }

    /** Publication of the source. */
    public String publication() {
        return namespace.publication(source.database());
    }
}
