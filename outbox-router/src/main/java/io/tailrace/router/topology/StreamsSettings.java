package io.tailrace.router.topology;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.RouterConfig;
import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.contract.config.TailraceConfig;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.StreamsConfig;

/** Settings of Kafka Streams that keep the promises; whatever a user's properties say, these hold. */
final class StreamsSettings {

    private static final int POLL_MILLIS = 10;

    /** A destination that is gone blocks the whole thread for so long: the look before a send keeps this rare, this keeps it short. */
    private static final int MAX_BLOCK_MILLIS = 10_000;

    /**
     * After that a send that the broker does not answer ends its transaction, and the rows begin anew: all others of the thread wait
     * so long when a topic is deleted between the last look at it and a send.
     */
    private static final int DELIVERY_MILLIS = 12_000;

    private static final int REQUEST_MILLIS = 10_000;

    private static final long LEAST_BUFFER_BYTES = 32L << 20;

    private static final int BATCH_BYTES = 128 * 1024;

    /**
     * Of a transaction nobody sees anything before its commit, and the commit sends all there is without waiting: sending rows one by one
     * before gains nothing, and costs a request each on both sides. So this is never waited for.
     */
    private static final int LINGER_MILLIS_IN_TRANSACTION = 100;

    private StreamsSettings() {}

    /** For the router of a namespace. */
    static Properties of(TailraceConfig config) {
        RouterConfig router = config.router();
        Properties settings = new Properties();
        settings.putAll(ClientSettings.admin(config.kafka()));
        settings.putAll(Map.of(
                StreamsConfig.APPLICATION_ID_CONFIG, config.namespace().routerApplicationId(),
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee(router.guarantee()),
                StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, router.commitInterval().toMillis(),
                StreamsConfig.POLL_MS_CONFIG, POLL_MILLIS,
                StreamsConfig.NUM_STREAM_THREADS_CONFIG, router.threads(),
                StreamsConfig.STATE_DIR_CONFIG, router.stateDirectory().toString(),
                StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0L,
                StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, BoundedRocksDb.class,
                StreamsConfig.REPLICATION_FACTOR_CONFIG, config.topics().replication(),
                // Order across topics is not relied on, so no topic waits for another.
                StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, -1L));
        put(settings, StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG, EveryTimestamp.class);
        consumer(settings, config);
        producer(settings, config.topics().maxRequestBytes());
        put(settings, StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), lingerMillis(router.guarantee()));
        // Changelogs keep rows whole, in a format of their own.
        settings.put(
                StreamsConfig.topicPrefix(TopicConfig.MAX_MESSAGE_BYTES_CONFIG),
                config.topics().maxRequestBytes());
        settings.put(
                StreamsConfig.topicPrefix(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG),
                config.topics().minInsyncReplicas());
        return settings;
    }

    private static void consumer(Properties settings, TailraceConfig config) {
        put(settings, StreamsConfig.consumerPrefix(ConsumerConfig.ISOLATION_LEVEL_CONFIG), "read_committed");
        // Of the main consumer only: first offsets are committed by us, and one that is lost must not be made up.
        put(settings, StreamsConfig.mainConsumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "none");
        put(
                settings,
                StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG),
                Membership.instance(config));
        put(settings, StreamsConfig.GROUP_PROTOCOL_CONFIG, "classic");
    }

    private static void producer(Properties settings, int maxRequestBytes) {
        put(settings, StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "all");
        put(settings, StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), BATCH_BYTES);
        put(settings, StreamsConfig.producerPrefix(ProducerConfig.MAX_BLOCK_MS_CONFIG), MAX_BLOCK_MILLIS);
        put(settings, StreamsConfig.producerPrefix(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG), DELIVERY_MILLIS);
        put(settings, StreamsConfig.producerPrefix(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG), REQUEST_MILLIS);
        put(settings, StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), maxRequestBytes);
        // A record that does not fit there is refused like one that is too large.
        put(
                settings,
                StreamsConfig.producerPrefix(ProducerConfig.BUFFER_MEMORY_CONFIG),
                Math.max(LEAST_BUFFER_BYTES, 2L * maxRequestBytes));
    }

    private static int lingerMillis(Guarantee guarantee) {
        return switch (guarantee) {
            case EXACTLY_ONCE -> LINGER_MILLIS_IN_TRANSACTION;
            case AT_LEAST_ONCE -> 0;
        };
    }

    private static String guarantee(Guarantee guarantee) {
        return switch (guarantee) {
            case EXACTLY_ONCE -> StreamsConfig.EXACTLY_ONCE_V2;
            case AT_LEAST_ONCE -> StreamsConfig.AT_LEAST_ONCE;
        };
    }

    private static void put(Properties settings, String key, Object value) {
        settings.put(key, value);
    }
}
