package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import org.junit.jupiter.api.Test;

/** What waits is not held in the heap. */
@RealParts
class MemoryTest {

    @Test
    void aBacklogOfLargeRowsFitsIntoHalfAGigabyte(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute("INSERT INTO tailrace.outbox (event_name, payload)"
                + " SELECT 'large.row', to_json(repeat(md5(n::text), 28000)) FROM generate_series(1, 300) n");
        try (ChildJvm engine = EngineProcess.start(stack, "512m", EngineFixture.MAX_BATCH_SIZE)) {
            engine.awaitLine(EngineProcess.READY, EngineFixture.PATIENCE);
            assertThat(Witness.awaitRows(stack.bootstrapServers(), stack.namespace() + ".raw.events", 300))
                    .isEqualTo(300);
            assertThat(engine.isAlive()).isTrue();
            assertThat(engine.output()).noneMatch(line -> line.contains("OutOfMemory"));
        }
    }
}
