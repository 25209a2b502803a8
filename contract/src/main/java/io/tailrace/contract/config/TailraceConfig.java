package io.tailrace.contract.config;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The whole configuration of one process.
 *
 * <p>It has one source or several. What works on a database (an engine, an executor, most verbs) works on one: it takes the
 * configuration {@link #of(SourceConfig)} that source.
 *
 * @param sources in the order of the file, at least one; no two derive the same names
 * @param subscriptions in the order of their names; no two have the same
 */
public record TailraceConfig(
        Namespace namespace,
        List<SourceConfig> sources,
        KafkaConfig kafka,
        TopicsConfig topics,
        OutboxConfig outbox,
        EngineConfig engine,
        RouterConfig router,
        ExecutorConfig executor,
        List<SubscriptionConfig> subscriptions,
        RedactConfig redact,
        RetentionConfig retention,
        HttpConfig http) {

    public TailraceConfig {
        Objects.requireNonNull(namespace, "namespace");
        sources = List.copyOf(sources);
        Objects.requireNonNull(kafka, "kafka");
        Objects.requireNonNull(topics, "topics");
        Objects.requireNonNull(outbox, "outbox");
        Objects.requireNonNull(engine, "engine");
        Objects.requireNonNull(router, "router");
        Objects.requireNonNull(executor, "executor");
        subscriptions = List.copyOf(subscriptions);
        Objects.requireNonNull(redact, "redact");
        Objects.requireNonNull(retention, "retention");
        Objects.requireNonNull(http, "http");
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("a configuration has a source");
        }
        Map<String, SourceConfig> places = new LinkedHashMap<>();
        for (SourceConfig source : sources) {
            places.put("sources[%d]".formatted(places.size()), source);
        }
        SourceConflicts.of(places).forEach((place, problem) -> {
            throw new IllegalArgumentException(place + " " + problem);
        });
    }

    /** Without secrets or subscriptions, and with rows that stay for as long as they do by default. */
    public TailraceConfig(
            Namespace namespace,
            List<SourceConfig> sources,
            KafkaConfig kafka,
            TopicsConfig topics,
            OutboxConfig outbox,
            EngineConfig engine,
            RouterConfig router,
            ExecutorConfig executor,
            HttpConfig http) {
        this(
                namespace,
                sources,
                kafka,
                topics,
                outbox,
                engine,
                router,
                executor,
                List.of(),
                RedactConfig.NONE,
                RetentionConfig.byDefault(),
                http);
    }

    /** With one source, and events that are rows, without secrets. */
    public TailraceConfig(
            Namespace namespace,
            SourceConfig source,
            KafkaConfig kafka,
            TopicsConfig topics,
            EngineConfig engine,
            RouterConfig router,
            ExecutorConfig executor,
            HttpConfig http) {
        this(namespace, List.of(source), kafka, topics, OutboxConfig.DEFAULT, engine, router, executor, http);
    }

    /** The same with events that are something else. */
    public TailraceConfig with(OutboxConfig events) {
        return new TailraceConfig(
                namespace,
                sources,
                kafka,
                topics,
                events,
                engine,
                router,
                executor,
                subscriptions,
                redact,
                retention,
                http);
    }

    /** The same with these secrets. */
    public TailraceConfig with(RedactConfig secrets) {
        return new TailraceConfig(
                namespace,
                sources,
                kafka,
                topics,
                outbox,
                engine,
                router,
                executor,
                subscriptions,
                secrets,
                retention,
                http);
    }

    /** The same with rows that stay for another time. */
    public TailraceConfig with(RetentionConfig times) {
        return new TailraceConfig(
                namespace,
                sources,
                kafka,
                topics,
                outbox,
                engine,
                router,
                executor,
                subscriptions,
                redact,
                times,
                http);
    }

    /** The same with another router. */
    public TailraceConfig with(RouterConfig changed) {
        return new TailraceConfig(
                namespace,
                sources,
                kafka,
                topics,
                outbox,
                engine,
                changed,
                executor,
                subscriptions,
                redact,
                retention,
                http);
    }

    /** The same with another executor. */
    public TailraceConfig with(ExecutorConfig changed) {
        return new TailraceConfig(
                namespace,
                sources,
                kafka,
                topics,
                outbox,
                engine,
                router,
                changed,
                subscriptions,
                redact,
                retention,
                http);
    }

    /** The same with these subscriptions. */
    public TailraceConfig subscribing(List<SubscriptionConfig> to) {
        return new TailraceConfig(
                namespace, sources, kafka, topics, outbox, engine, router, executor, to, redact, retention, http);
    }

    /** The names of the subscriptions: each has topics of its own. */
    public List<String> subscriptionNames() {
        return subscriptions.stream().map(SubscriptionConfig::name).toList();
    }

    /** The same with this source alone. */
    public TailraceConfig of(SourceConfig source) {
        return of(List.of(source));
    }

    /** The same with these sources. */
    public TailraceConfig of(List<SourceConfig> some) {
        return new TailraceConfig(
                namespace,
                some,
                kafka,
                topics,
                outbox,
                engine,
                router,
                executor,
                subscriptions,
                redact,
                retention,
                http);
    }

    /** One configuration for each source, with that one alone, in the order of {@link #sources}. */
    public List<TailraceConfig> eachSource() {
        return sources.stream().map(this::of).toList();
    }

    /**
     * The one source.
     *
     * @throws IllegalStateException when there are several: the caller forgot to choose
     */
    public SourceConfig source() {
        if (sources.size() != 1) {
            throw new IllegalStateException("there are several sources (%s): use the configuration of one of them"
                    .formatted(sources.stream().map(SourceConfig::name).collect(Collectors.joining(", "))));
        }
        return sources.get(0);
    }

    /** The names of this namespace's topics. */
    public Topics topicNames() {
        return new Topics(namespace);
    }

    /** Slot of the one source. */
    public String slot() {
        return namespace.slot(source().name());
    }

    /** Publication of the one source. */
    public String publication() {
        return namespace.publication(source().name());
    }

    /** {@code ce_source} of the rows of the one source. */
    public String ceSource() {
        return namespace.source(source().name());
    }
}
