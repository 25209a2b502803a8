package io.tailrace.router.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.junit.jupiter.api.Test;

class ThrownTest {

    @Test
    void whatKafkaCausedIsKafkasHoweverItIsWrapped() {
        assertThat(Thrown.isOfKafka(new TimeoutException())).isTrue();
        assertThat(Thrown.isOfKafka(new TaskMigratedException("away"))).isTrue();
        assertThat(Thrown.isOfKafka(new IllegalStateException(new StreamsException("send"))))
                .isTrue();
    }

    @Test
    void anythingElseIsTheRows() {
        assertThat(Thrown.isOfKafka(new IllegalStateException())).isFalse();
        assertThat(Thrown.isOfKafka(new IOException())).isFalse();
        Exception ring = new Exception();
        Exception round = new Exception(ring);
        ring.initCause(round);
        assertThat(Thrown.isOfKafka(ring)).isFalse();
    }
}
