package io.tailrace.executor.settle;

import io.tailrace.contract.record.Kind;
import io.tailrace.executor.intake.Task;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends answers and lets offsets pass when they are safe. Thread-safe.
 *
 * <p>An answer repeats what a row said, and a row that waits or is dead may say something else later. While the partition is ours
 * nobody else answers its record, so that nobody acts on the row before our answer is there. A process that stood still for long may
 * have lost the partition without knowing it: the next owner has answered, an operator has requeued the dead row, it is done, its lane is
 * gone; the answer that was about to be sent would bury it again. So what is older than {@link #FRESH_PART} of a session is not sent:
 * the row is claimed again and says what is true now. With what {@link AnswerWriter} allows itself the two are no longer than a session.
 */
public final class Replies {

    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

    /** A session divided by this is how long an answer stays true unsent. */
    private static final int FRESH_PART = 4;

    private final AnswerWriter writer;
    private final Announcer announcer;
    private final ExecutorMetrics metrics;
    private final long freshNanos;

    /**
     * Over these two; both stay the caller's to close.
     *
     * @param session after which the broker gives the partitions of a silent member to another
     */
    public Replies(AnswerWriter writer, Announcer announcer, ExecutorMetrics metrics, Duration session) {
        this.writer = writer;
        this.announcer = announcer;
        this.metrics = metrics;
        this.freshNanos = session.toNanos() / FRESH_PART;
    }

    /**
     * Answers a task that is finished with what stays true for ever. Its offset passes when the answer is acknowledged; if it gets lost the task
     * comes again, and its claim finds what was stamped.
     */
    public void send(Task task, Answer answer) {
        writer.send(answer, task::pass, task::comeAgain);
    }

    /**
     * As {@link #send(Task, Answer)}, with what was true at a moment.
     *
     * @param asOf a {@link System#nanoTime} from before the row's transaction has ended
     */
    public void send(Task task, Answer answer, long asOf) {
        if (isTrueStill(task, asOf)) {
            send(task, answer);
        }
    }

    /** As {@link #send(Task, Answer, long)}, for a row that is stamped dead at a turn: the acknowledgement is noted on it. */
    public void sendDead(Task task, Answer answer, int turn, long asOf) {
        if (answer.kind() != Kind.DEAD) {
            throw new IllegalArgumentException("an answer of kind " + answer.kind() + " announces no death");
        }
        if (isTrueStill(task, asOf)) {
            writer.send(
                    answer,
                    () -> {
                        announcer.announced(task.record().row().id(), turn);
                        task.pass();
                    },
                    task::comeAgain);
        }
    }

    /** If not, the task comes again; one whose partition was taken away is the next owner's to answer. */
    private boolean isTrueStill(Task task, long asOf) {
        if (System.nanoTime() - asOf <= freshNanos && !task.isRevoked()) {
            return true;
        }
        LOG.debug("Answer is not sent, it may be true no more: {}", task.record());
        metrics.answerOutdated();
        task.comeAgain();
        return false;
    }
}
