package io.tailrace.engine.recover;

import io.tailrace.engine.source.Comparison;
import java.util.List;
import java.util.Optional;

/**
 * What a recovery found and did.
 *
 * @param order as it was given
 * @param slot whose
 * @param refusals what the engine would have refused for; empty when it would have started
 * @param gapFrom as far as rows were surely captured: an LSN, or words when nobody knows
 * @param gapTo where the new slot begins, an LSN; in a dry run the end of the log
 * @param compared what was compared; empty when nothing was
 * @param publishedEvents records written for outbox rows
 * @param publishedCommands records written for command rows
 * @param publishedActs control records written for pending commands, of which the topics may have heard other things last
 * @param epochBefore of the raw topics
 * @param epoch of the raw topics from now on
 * @param position as it was written; empty in a dry run
 * @param notes what an operator should know, in words
 */
public record Report(
        Order order,
        String slot,
        List<String> refusals,
        String gapFrom,
        String gapTo,
        Optional<Compared> compared,
        long publishedEvents,
        long publishedCommands,
        long publishedActs,
        int epochBefore,
        int epoch,
        Optional<String> position,
        List<String> notes) {

    /** Both sides. */
    public record Compared(long rawEvents, long rawCommands, Comparison.Events events, Comparison.Commands commands) {}

    public Report {
        refusals = List.copyOf(refusals);
        notes = List.copyOf(notes);
    }
}
