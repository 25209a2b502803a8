package io.tailrace.router.flow;

import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.due.Due;
import io.tailrace.router.lane.Change;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done about a record: complete, and not begun. All that could fail for a reason that lies in the row has been read,
 * decided and composed by now; nothing has been sent or written. {@link Router} does it.
 *
 * @param records to be sent, in this order
 * @param due for the agenda, null when there is nothing
 * @param change of a lane, null when there is none
 * @param after once the rest is done: what has gone is written into the memory of the past, which is a store of the task like the lanes
 *     and so part of the same transaction; then it is counted and said
 */
record Deed(
        List<Outgoing> records, @Nullable Due due, @Nullable Change change, Runnable after) {

    private static final Runnable SILENTLY = () -> {};

    /** Nothing. */
    static final Deed NONE = new Deed(List.of(), null, null, SILENTLY);

    static Deed send(List<Outgoing> records, Runnable after) {
        return new Deed(records, null, null, after);
    }

    static Deed send(Outgoing record, Runnable after) {
        return send(List.of(record), after);
    }

    static Deed send(Outgoing record) {
        return send(record, SILENTLY);
    }

    static Deed add(Due due) {
        return new Deed(List.of(), due, null, SILENTLY);
    }

    static Deed settle(Change change) {
        return NONE.and(change);
    }

    /** Sends this as well. */
    Deed and(Outgoing record) {
        return new Deed(Stream.concat(records.stream(), Stream.of(record)).toList(), due, change, after);
    }

    /** Settles this as well; there is one change at most. */
    Deed and(Change settled) {
        return new Deed(records, due, settled, after);
    }

    /** And when all is done, this. */
    Deed then(Runnable more) {
        Runnable both = () -> {
            after.run();
            more.run();
        };
        return new Deed(records, due, change, both);
    }
}
