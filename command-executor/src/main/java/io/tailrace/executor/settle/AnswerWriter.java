package io.tailrace.executor.settle;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Bytes;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes answers, acknowledged by all in-sync replicas, in order per key. Thread-safe. */
public final class AnswerWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AnswerWriter.class);

    /** A session divided by this is how long a worker may stand when the broker is away. */
    private static final int BLOCK_PART = 4;

    /** A session divided by this is how long an answer may be on its way; one that is not acknowledged by then is made again from the row. */
    private static final int DELIVERY_PART = 2;

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final ExecutorMetrics metrics;
    private boolean failing;

    /**
     * Connects in the background.
     *
     * @param topic where the lanes of these rows hear it
     * @param session see {@link Replies}: an answer that is overtaken by a new owner of its partition must not come behind it
     */
    public AnswerWriter(TailraceConfig config, String topic, ExecutorMetrics metrics, Duration session) {
        this.topic = topic;
        this.metrics = metrics;
        Map<String, Object> settings = ClientSettings.producer(config.kafka());
        int delivery = Math.toIntExact(session.toMillis() / DELIVERY_PART);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, delivery);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, delivery);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, session.toMillis() / BLOCK_PART);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        // A partition that is new may refuse the first batch and take the second; then the first is out of sequence for
        // ever.
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, config.topics().maxRequestBytes());
        this.producer = new KafkaProducer<>(settings);
    }

    /**
     * Sends one; exactly one of the two is called, from any thread, now or later.
     *
     * @param acknowledged it is safe
     * @param lost it may not have got through
     */
    public void send(Answer answer, Runnable acknowledged, Runnable lost) {
        try {
            producer.send(record(answer), (written, failure) -> {
                if (failure == null) {
                    metrics.answered(answer.kind());
                    edge(null);
                    acknowledged.run();
                } else {
                    failed(answer, failure, acknowledged, lost);
                }
            });
        } catch (KafkaException | IllegalStateException failure) {
            failed(answer, failure, acknowledged, lost);
        }
    }

    /** Waits for what was sent; what is not acknowledged by then is answered by the next owner of the row. */
    @Override
    public void close() {
        producer.close(Duration.ofSeconds(3));
    }

    private void failed(Answer answer, Exception failure, Runnable acknowledged, Runnable lost) {
        if (failure instanceof RecordTooLargeException && answer.value() != null) {
            // A payload that no topic takes must not hold up its key for ever: the row still has it.
            send(
                    new Answer(
                            answer.kind(), answer.key(), null, answer.headers().with(HeaderName.PAYLOAD, "omitted")),
                    acknowledged,
                    lost);
            return;
        }
        metrics.answerFailed();
        edge(failure);
        lost.run();
    }

    private synchronized void edge(@Nullable Exception failure) {
        if (failure != null && !failing) {
            LOG.warn(
                    "Answers do not get through to {}, they are made again from the rows until they do: {}",
                    topic,
                    failure.toString());
        } else if (failure == null && failing) {
            LOG.info("Answers get through to {} again", topic);
        }
        failing = failure != null;
    }

    private ProducerRecord<byte[], byte[]> record(Answer answer) {
        Bytes value = answer.value();
        return new ProducerRecord<>(
                topic,
                null,
                answer.key().array(),
                value == null ? null : value.array(),
                KafkaHeaders.to(answer.headers()));
    }
}
