package io.tailrace.testkit;

import io.tailrace.embedded.EmbeddedBroker;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** The broker that the tests of one JVM share. */
public interface KafkaServer extends AutoCloseable {

    /** {@code in-process} (the default) or {@code testcontainers}, which needs a Docker engine. */
    String KIND_PROPERTY = "tailrace.test.kafka";

    /** Image of the container. */
    String IMAGE_PROPERTY = "tailrace.test.kafka.image";

    /** Of brokers in KRaft mode. */
    String AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer";

    /** What clients call {@code bootstrap.servers}; the same through every restart. */
    String bootstrapServers();

    /** Takes the broker away until {@link #start}. Aborts the calling test where that is not possible. */
    void stop();

    /** Brings the broker back on the same address and data; does nothing if it runs. */
    void start();

    @Override
    void close();

    /** Starts the kind of broker that the system property names. */
    static KafkaServer launch() {
        String kind = System.getProperty(KIND_PROPERTY, "in-process");
        return switch (kind) {
            case "in-process" ->
                new InProcess(EmbeddedBroker.builder()
                        // An open transaction of a killed client ends on time, not up to ten seconds after it. For
                        // tests
                        // only: a broker that comes back from a crash must not look before it leads its partitions
                        // again.
                        .setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", "500")
                        // A member that was killed is noticed as soon as its test wants: others need not wait out six
                        // seconds.
                        .setting("group.min.session.timeout.ms", "1000")
                        // Everybody may do everything until a test forbids it: see Stack#forbidWrites.
                        .setting("authorizer.class.name", AUTHORIZER)
                        .setting("allow.everyone.if.no.acl.found", "true")
                        .start());
            case "testcontainers" -> Container.launch();
            default ->
                throw new IllegalArgumentException(
                        "-D" + KIND_PROPERTY + "=" + kind + ": it is in-process or testcontainers");
        };
    }

    /** In this JVM. */
    record InProcess(EmbeddedBroker broker) implements KafkaServer {

        @Override
        public String bootstrapServers() {
            return broker.bootstrapServers();
        }

        @Override
        public void stop() {
            broker.stop();
        }

        @Override
        public void start() {
            broker.start();
        }

        @Override
        public void close() {
            broker.close();
        }
    }

    /** In a container, set up as the embedded broker is. */
    record Container(KafkaContainer container) implements KafkaServer {

        @SuppressWarnings("resource") // closed with the record that it is handed to
        static Container launch() {
            KafkaContainer container = new KafkaContainer(
                            DockerImageName.parse(System.getProperty(IMAGE_PROPERTY, "apache/kafka:4.3.1"))
                                    .asCompatibleSubstituteFor("apache/kafka"))
                    .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
                    .withEnv("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "1")
                    .withEnv("KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS", "5")
                    .withEnv("KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR", "1")
                    .withEnv("KAFKA_TRANSACTION_STATE_LOG_MIN_ISR", "1")
                    .withEnv("KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS", "5")
                    .withEnv("KAFKA_TRANSACTION_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS", "500")
                    .withEnv("KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS", "1000")
                    .withEnv("KAFKA_AUTHORIZER_CLASS_NAME", AUTHORIZER)
                    .withEnv("KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND", "true")
                    .withEnv("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0");
            container.start();
            return new Container(container);
        }

        @Override
        public String bootstrapServers() {
            return container.getBootstrapServers();
        }

        /** A container that starts again gets another port, and its clients would never find it. */
        @Override
        public void stop() {
            Assumptions.abort("A broker outage needs -D" + KIND_PROPERTY + "=in-process");
        }

        @Override
        public void start() {}

        @Override
        public void close() {
            container.stop();
        }
    }
}
