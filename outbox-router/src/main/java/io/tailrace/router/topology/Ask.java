package io.tailrace.router.topology;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/** Waits for answers of the admin client, whose errors come wrapped. */
final class Ask {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Ask() {}

    /**
     * The answer.
     *
     * @throws KafkaException what the broker, or the way to it, says instead
     */
    static <T> T await(KafkaFuture<T> answer) {
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(failed.getCause());
        } catch (java.util.concurrent.TimeoutException late) {
            throw new TimeoutException("no answer within " + PATIENCE.toSeconds() + " s", late);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }
}
