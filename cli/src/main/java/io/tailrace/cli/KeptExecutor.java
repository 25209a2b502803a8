package io.tailrace.cli;

import io.tailrace.contract.Health;
import io.tailrace.contract.Part;

/** An executor and the upkeep of its source: wherever commands run somebody looks after them. To the outside it is the executor. */
record KeptExecutor(Part executor, Part upkeep) implements Part {

    @Override
    public String name() {
        return executor.name();
    }

    @Override
    public void start() {
        executor.start();
        upkeep.start();
    }

    @Override
    public Health health() {
        return executor.health();
    }

    @Override
    public void close() {
        upkeep.close();
        executor.close();
    }
}
