package io.tailrace.executor.settle;

import io.tailrace.contract.record.Kind;
import io.tailrace.executor.intake.Task;

/** Sends answers and lets offsets pass when they are safe. Thread-safe. */
public final class Replies {

    private final AnswerWriter writer;
    private final Announcer announcer;

    /** Over these two; both stay the caller's to close. */
    public Replies(AnswerWriter writer, Announcer announcer) {
        this.writer = writer;
        this.announcer = announcer;
    }

    /**
     * Answers a task that is finished. Its offset passes when the answer is acknowledged; if it gets lost the task comes again, and its claim finds
     * what was stamped.
     */
    public void send(Task task, Answer answer) {
        writer.send(answer, task::pass, task::comeAgain);
    }

    /** As {@link #send}, for a row that is stamped dead at a turn: the acknowledgement is noted on it. */
    public void sendDead(Task task, Answer answer, int turn) {
        if (answer.kind() != Kind.DEAD) {
            throw new IllegalArgumentException("an answer of kind " + answer.kind() + " announces no death");
        }
        writer.send(
                answer,
                () -> {
                    announcer.announced(task.record().row().id(), turn);
                    task.pass();
                },
                task::comeAgain);
    }
}
