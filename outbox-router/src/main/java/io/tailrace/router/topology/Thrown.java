package io.tailrace.router.topology;

import org.apache.kafka.common.KafkaException;

/** Tells the broker's failures from a row's. */
final class Thrown {

    private Thrown() {}

    /** Whether the error, or one that caused it, comes from a Kafka client or from Kafka Streams. */
    static boolean isOfKafka(Throwable error) {
        // Bounded: an exception may be its own cause at any distance.
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < 50; depth++) {
            if (cause instanceof KafkaException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
