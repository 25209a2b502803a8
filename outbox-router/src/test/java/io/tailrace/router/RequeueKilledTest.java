package io.tailrace.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * An operator has requeued dead commands, and the router is killed when it has heard of that and before the transaction commits that takes
 * their letters away and puts them on their lanes.
 */
@RealParts
class RequeueKilledTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final int LETTERS = 400;

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path directory;

    @Test
    @Timeout(600)
    void eachLetterGoesOnceAndItsCommandComesOnce(Stack stack) {
        String letters = stack.namespace() + ".commands.dlq";
        String released = stack.namespace() + ".commands.redelivery";
        ChildJvm router = router(stack);
        try (RawTopics raw = new RawTopics(stack.bootstrapServers(), stack.namespace())) {
            await().atMost(PATIENCE)
                    .until(() -> stack.topics()
                            .containsAll(List.of(letters, released, stack.namespace() + ".raw.commands")));
            raw.commit(() -> IntStream.range(0, LETTERS).forEach(i -> raw.dead("c" + i, "k" + i, 5, "1:" + i)));
            stack.reader().awaitCount(LETTERS, PATIENCE, letters);

            ChildJvm first = router;
            CompletableFuture<Void> operator = CompletableFuture.runAsync(() -> IntStream.range(0, LETTERS)
                    .forEach(i -> raw.commit(() -> raw.requeued("c" + i, "k" + i, 6, "1:" + i))));
            stopBetweenRequeueAndCommit(stack, letters, first);
            first.kill();
            operator.join();
            router = router(stack);

            List<ConsumerRecord<byte[], byte[]>> commands = stack.reader().awaitCount(LETTERS, PATIENCE, released);
            assertThat(commands)
                    .extracting(command -> TopicReader.header(command, "ce_id"))
                    .doesNotHaveDuplicates()
                    .hasSize(LETTERS);
            List<ConsumerRecord<byte[], byte[]>> all = stack.reader().awaitCount(2 * LETTERS, PATIENCE, letters);
            assertThat(all).as("a letter and a tombstone each").hasSize(2 * LETTERS);
            assertThat(all.stream()
                            .filter(letter -> letter.value() == null)
                            .map(letter -> TopicReader.text(letter.key())))
                    .doesNotHaveDuplicates()
                    .hasSize(LETTERS);
            assertThat(stack.reader().uncommitted().read(letters).size())
                    .as("with tombstones of the transaction that was open")
                    .isGreaterThan(2 * LETTERS);
        } finally {
            router.close();
        }
    }

    /** It stands still, with tombstones out that it has not committed. */
    private static void stopBetweenRequeueAndCommit(Stack stack, String letters, ChildJvm router) {
        try (Admin admin = stack.admin()) {
            await("a requeue is under way")
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(() -> {
                        router.pause();
                        if (end(admin, letters, IsolationLevel.READ_UNCOMMITTED)
                                > end(admin, letters, IsolationLevel.READ_COMMITTED)) {
                            return true;
                        }
                        router.resume();
                        return false;
                    });
        }
    }

    /** Of all partitions together. */
    private static long end(Admin admin, String topic, IsolationLevel isolation)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = IntStream.range(0, RouterChild.PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
        return admin.listOffsets(latest, new ListOffsetsOptions(isolation)).all().get().values().stream()
                .mapToLong(end -> end.offset())
                .sum();
    }

    private ChildJvm router(Stack stack) {
        return ChildJvm.of(RouterChild.class)
                .arguments(
                        stack.namespace(),
                        stack.bootstrapServers(),
                        directory.resolve("state").toString())
                .start();
    }
}
