package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.engine.crash.CrashLoop;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import org.junit.jupiter.api.Test;

/** Nothing lost and nothing doubled through kill -9, at any moment, under overlapping transactions of every kind. */
@RealParts
class CrashTest {

    @Test
    void everyCommittedRowIsInTheRawTopicOnce(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        CrashLoop.Settings settings = new CrashLoop.Settings(
                Integer.getInteger("tailrace.kills", 5),
                6,
                1500,
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

    static ChildJvm child(Stack stack) {
        return ChildJvm.of(EngineProcess.class)
                .arguments(
                        stack.namespace(),
                        stack.database(),
                        Integer.toString(stack.postgres().port()),
                        stack.bootstrapServers())
                .start();
    }
}
