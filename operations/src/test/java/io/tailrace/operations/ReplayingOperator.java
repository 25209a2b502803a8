package io.tailrace.operations;

import io.tailrace.contract.name.Topics;

/** An operator in a process of their own, to be killed half-way. */
final class ReplayingOperator {

    private ReplayingOperator() {}

    /** Arguments: namespace, bootstrap servers, rows of one batch. */
    public static void main(String[] arguments) {
        new DeadLetters(ParkedRows.config(arguments[0], arguments[1], "127.0.0.1", 1, "nowhere"))
                .replay(
                        Topics.EVENTS,
                        Selection.ALL,
                        new Replay.Order("first", "killed", false),
                        Integer.parseInt(arguments[2]));
        System.out.println("done");
    }
}
