package io.tailrace.router.due;

import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneKey;
import java.util.function.Consumer;
import java.util.function.Function;

/** Something that waits for an instant. */
public sealed interface Due {

    /** Not before this instant, in milliseconds since the epoch. */
    long at();

    /** Takes one of the two ways. */
    <T> T match(Function<Wake, T> wake, Function<Command, T> command);

    /** Takes one of the two ways, for what it does. */
    void handle(Consumer<Wake> wake, Consumer<Command> command);

    /**
     * A lane is to be looked at.
     *
     * @param at when
     * @param lane which
     */
    record Wake(long at, LaneKey lane) implements Due {
        @Override
        public <T> T match(Function<Wake, T> wake, Function<Command, T> command) {
            return wake.apply(this);
        }

        @Override
        public void handle(Consumer<Wake> wake, Consumer<Command> command) {
            wake.accept(this);
        }
    }

    /**
     * A command is to be routed. It blocks nobody.
     *
     * @param at when
     * @param seq commands of one instant become due in this order: that of the row, or one for all carriers that were put back
     * @param turn that this record speaks of
     * @param rowId whose it is
     * @param record that carries it
     */
    record Command(long at, Place seq, int turn, String rowId, RawRecord record) implements Due {
        @Override
        public <T> T match(Function<Wake, T> wake, Function<Command, T> command) {
            return command.apply(this);
        }

        @Override
        public void handle(Consumer<Wake> wake, Consumer<Command> command) {
            command.accept(this);
        }
    }
}
