package io.tailrace.router.topology;

import io.tailrace.router.decide.FailureClass;
import io.tailrace.router.lane.UnusableState;
import org.apache.kafka.common.KafkaException;

/** Tells failures of the surroundings, which are nobody's row, from a row's. */
final class Thrown {

    private Thrown() {}

    /** Whether no row is to blame: the task stops, and another begins where it began. */
    static boolean isSystemic(Throwable error) {
        return FailureClass.ofThrown(liesOutsideTheRow(error)) == FailureClass.SYSTEMIC;
    }

    /** Whether the error, or one that caused it, comes from Kafka's clients, from Kafka Streams or from stores that are of no use. */
    private static boolean liesOutsideTheRow(Throwable error) {
        // Bounded: an exception may be its own cause at any distance.
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < 50; depth++) {
            if (cause instanceof KafkaException || cause instanceof UnusableState) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
