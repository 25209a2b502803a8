package io.tailrace.router.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.router.lane.UnusableState;
import java.io.IOException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.junit.jupiter.api.Test;

class ThrownTest {

    @Test
    void whatKafkaCausedIsKafkasHoweverItIsWrapped() {
        assertThat(Thrown.isSystemic(new TimeoutException())).isTrue();
        assertThat(Thrown.isSystemic(new TaskMigratedException("away"))).isTrue();
        assertThat(Thrown.isSystemic(new IllegalStateException(new StreamsException("send"))))
                .isTrue();
    }

    @Test
    void storesThatAreOfNoUseAreNobodysRow() {
        assertThat(Thrown.isSystemic(new IllegalStateException(new UnusableState("torn"))))
                .isTrue();
    }

    @Test
    void anythingElseIsTheRows() {
        assertThat(Thrown.isSystemic(new IllegalStateException())).isFalse();
        assertThat(Thrown.isSystemic(new IOException())).isFalse();
        Exception ring = new Exception();
        Exception round = new Exception(ring);
        ring.initCause(round);
        assertThat(Thrown.isSystemic(ring)).isFalse();
    }
}
