package io.tailrace.executor.run;

import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.handler.CommandHandler;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who runs the rows of one subscription, commands among them, and what is particular to them. Thread-safe. */
public interface Handling {

    /** Who runs a claimed row, if anybody does. */
    Optional<CommandHandler> handlerOf(Claim claim);

    /** Whether a name has a handler, in one of its versions at least. */
    boolean knows(String name);

    /** What its rows are called at the beginning of a line in the log. */
    String noun();

    /** The same row with all that a run needs, or what is to become of it because that cannot be had. */
    Whole whole(Claim claim);

    /**
     * A row that can be run, or not.
     *
     * @param claim with everything
     * @param missing why it cannot be run; null when it can
     */
    record Whole(Claim claim, @Nullable Missing missing) {

        static Whole of(Claim claim) {
            return new Whole(claim, null);
        }
    }

    /** What keeps a row from being run. */
    enum Missing {
        /** The payload is nowhere any more. */
        GONE,
        /** Whoever has the payload does not answer. */
        OUT_OF_REACH
    }
}
