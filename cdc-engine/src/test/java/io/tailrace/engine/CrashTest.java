package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.engine.crash.CrashLoop;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing lost and nothing doubled through kill -9, at any moment, under overlapping transactions of every kind, of rows and of messages. */
@RealParts
class CrashTest {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyCommittedRowIsInTheRawTopicOnce(boolean messages, Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        CrashLoop.Settings settings = new CrashLoop.Settings(
                Integer.getInteger("tailrace.kills", 5),
                6,
                1500,
                messages,
                2500,
                Long.getLong("tailrace.seed", System.nanoTime()));
        String topic = stack.namespace() + ".raw.events";
        CrashLoop.Result result =
                new CrashLoop(stack.jdbcUrl(), stack.bootstrapServers(), topic, () -> child(stack), settings).run();
        System.out.println(result);
        assertThat(result)
                .as(result.toString())
                .satisfies(one -> assertThat(one.isClean()).isTrue());
        assertThat(result.rowsRead()).isGreaterThan(1000);
    }

    @Test
    void aBacklogOfLargeRowsFitsIntoHalfAGigabyte(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute("INSERT INTO tailrace.outbox (event_name, payload)"
                + " SELECT 'large.row', to_json(repeat(md5(n::text), 28000)) FROM generate_series(1, 300) n");
        try (ChildJvm engine = child(stack, "512m")) {
            engine.awaitLine(CrashLoop.READY, EngineFixture.PATIENCE);
            assertThat(CrashLoop.awaitRows(stack.bootstrapServers(), stack.namespace() + ".raw.events", 300))
                    .isEqualTo(300);
            assertThat(engine.isAlive()).isTrue();
            assertThat(engine.output()).noneMatch(line -> line.contains("OutOfMemory"));
        }
    }

    static ChildJvm child(Stack stack) {
        return child(stack, "256m");
    }

    private static ChildJvm child(Stack stack, String heap) {
        return child(stack, heap, EngineFixture.MAX_BATCH_SIZE);
    }

    static ChildJvm child(Stack stack, String heap, int maxBatchSize) {
        return ChildJvm.of(EngineProcess.class)
                .heap(heap)
                .arguments(
                        stack.namespace(),
                        stack.database(),
                        Integer.toString(stack.postgres().port()),
                        stack.bootstrapServers(),
                        Integer.toString(maxBatchSize))
                .start();
    }
}
