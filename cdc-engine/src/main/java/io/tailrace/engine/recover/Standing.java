package io.tailrace.engine.recover;

import io.tailrace.engine.publish.PositionTopic.Written;
import io.tailrace.engine.source.Lsn;
import io.tailrace.engine.source.Position;
import io.tailrace.engine.source.Position.Ties;
import io.tailrace.engine.source.SourceFacts;
import io.tailrace.engine.source.SourceFacts.Owner;
import java.util.List;
import java.util.Optional;

/**
 * How things stand before anything is changed.
 *
 * @param slot whose
 * @param last position in Kafka, with its time
 * @param rawEvents id of that topic; empty when it is missing
 * @param rawCommands the same of the commands
 * @param refusals what an engine would be refused for
 */
record Standing(
        String slot,
        SourceFacts facts,
        Optional<Written> last,
        String rawEvents,
        String rawCommands,
        List<String> refusals) {

    Optional<Position> position() {
        return last.map(Written::position);
    }

    /**
     * Whether a raw topic was deleted and made again, or may have been: what it holds from now on sorts behind all that it ever held.
     * Only a position could say that it was not.
     */
    boolean topicsWereRemade() {
        if (last.isEmpty()) {
            return facts.owner().map(Owner::started).orElse(false);
        }
        Ties then = last.get().position().ties();
        return differ(then.rawEvents(), rawEvents) || differ(then.rawCommands(), rawCommands);
    }

    /** As far as rows were surely captured. */
    String gapFrom() {
        return position()
                .map(Position::commitLsn)
                .or(() -> facts.slot().map(SourceFacts.Slot::confirmedLsn))
                .or(() -> facts.owner().flatMap(Owner::slotCreatedLsn))
                .map(Lsn::text)
                .orElse("unknown");
    }

    Ties ties() {
        return new Ties(facts.publication().map(SourceFacts.Publication::id).orElse(""), rawEvents, rawCommands);
    }

    private static boolean differ(String then, String now) {
        return !then.isEmpty() && !then.equals(now);
    }
}
