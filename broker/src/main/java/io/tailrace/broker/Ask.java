package io.tailrace.broker;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/** Waits for answers of the admin client and acknowledgements of a producer, whose errors come wrapped. */
public final class Ask {

    /** The clients have timeouts of their own; this one guards against a client that forgets. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Ask() {}

    /**
     * The answer.
     *
     * @throws KafkaException what the broker, or the way to it, says instead
     */
    public static <T> T await(Future<T> answer) {
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof KafkaException reason ? reason : new KafkaException(failed.getCause());
        } catch (java.util.concurrent.TimeoutException late) {
            throw new TimeoutException("no answer within " + PATIENCE.toSeconds() + " s", late);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }
}
