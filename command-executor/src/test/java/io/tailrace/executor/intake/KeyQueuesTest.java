package io.tailrace.executor.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.broker.CommitNote;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.executor.claim.ClaimRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class KeyQueuesTest {

    /** One suspect runs at a time, whatever partition it is of, and it may take its time. */
    @Test
    void aPartitionIsTrustedWhenItsOwnSuspectsHaveHadTheirTimeAndNotThoseOfOthers() throws Exception {
        CountDownLatch trusted = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        Map<Long, Boolean> suspects = new ConcurrentHashMap<>();
        try (KeyQueues queues = new KeyQueues(3, Duration.ofMillis(100))) {
            Assignment slow = assignment(0);
            Assignment other = assignment(1);
            queues.suspect(other);
            queues.suspect(slow);
            queues.submit(slow, List.of(row(slow, 1), row(slow, 2)));
            queues.submit(other, List.of(row(other, 3)));
            queues.start(turn -> {
                long offset = turn.head().record().offset();
                suspects.put(offset, turn.head().isSuspect());
                if (offset == 1) {
                    awaitUninterruptibly(go);
                } else {
                    (offset == 2 ? trusted : last).countDown();
                }
                return Work.Outcome.finished(List.of(turn.head()));
            });
            assertThat(trusted.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(suspects).containsOnly(Map.entry(1L, true), Map.entry(2L, false));
            go.countDown();
            assertThat(last.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(suspects).containsEntry(3L, true);
        }
    }

    private static Assignment assignment(int partition) {
        return new Assignment(new TopicPartition("due", partition), new Watermark(CommitNote.none(0)));
    }

    private static DueRecord row(Assignment of, long offset) {
        UUID id = new UUID(0, offset);
        return new DueRecord(
                of.partition(),
                offset,
                Bytes.utf8(id.toString()),
                null,
                Headers.empty(),
                false,
                new ClaimRequest(id, "ns/db", null, new Place(1, offset), 0, OptionalLong.empty(), false));
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
