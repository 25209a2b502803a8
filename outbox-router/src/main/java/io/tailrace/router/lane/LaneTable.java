package io.tailrace.router.lane;

import io.tailrace.router.lane.LaneEvent.Kind;
import java.util.EnumMap;
import java.util.Map;

/**
 * The state machine of a row on a lane: what an event makes of a row, by the row's state. An event that does not pass its fence (its
 * turn against the known one) is dropped before it comes here.
 *
 * <pre>
 *              ABSENT    WAITING   RELEASED
 * ARRIVED      ENTER     DROP      DROP        read twice: it keeps what it has
 * FAILED       ENTER     ENTER     ENTER       waits as told
 * BEHIND       ENTER     ENTER     YIELD       back in line; a head that met somebody backs off
 * EARLY        ENTER     DROP      REST        same turn again, later
 * DONE         DROP      LEAVE     LEAVE       a head that leaves so opens the window
 * DEAD         DROP      LEAVE     LEAVE       a head that leaves so does not
 * REPLAYED     ENTER     ENTER     ENTER       at its own place, before newer rows
 * RETIMED      ENTER     RETIME    RETIME      keeps the record that carries its payload
 * WOKEN        ENTER     DROP      DROP        somebody has it already
 * HURRIED      DROP      HURRY     DROP
 * OVERFLOWED   DROP      BURY      DROP        what an executor holds is not taken from it
 * DUE          DROP      RELEASE   DROP        never twice for one turn
 * </pre>
 */
final class LaneTable {

    /** What is done with the row. */
    enum Move {
        /** Nothing: known already, or nobody's. */
        DROP,
        /** Put it on the lane, waiting, as the event tells. */
        ENTER,
        /** Put it back, waiting; longer each time if it is the head. */
        YIELD,
        /** Put it back, waiting as the event tells, with the turn and record it had. */
        REST,
        /** Change when it is due, and its turn. */
        RETIME,
        /** Make it due. */
        HURRY,
        /** Take it off. */
        LEAVE,
        /** Make it due to be given up. */
        BURY,
        /** Hand it out. */
        RELEASE
    }

    private static final Map<Kind, Map<RowState, Move>> MOVES = new EnumMap<>(Kind.class);

    static {
        row(Kind.ARRIVED, Move.ENTER, Move.DROP, Move.DROP);
        row(Kind.FAILED, Move.ENTER, Move.ENTER, Move.ENTER);
        row(Kind.BEHIND, Move.ENTER, Move.ENTER, Move.YIELD);
        row(Kind.EARLY, Move.ENTER, Move.DROP, Move.REST);
        row(Kind.DONE, Move.DROP, Move.LEAVE, Move.LEAVE);
        row(Kind.DEAD, Move.DROP, Move.LEAVE, Move.LEAVE);
        row(Kind.REPLAYED, Move.ENTER, Move.ENTER, Move.ENTER);
        row(Kind.RETIMED, Move.ENTER, Move.RETIME, Move.RETIME);
        row(Kind.WOKEN, Move.ENTER, Move.DROP, Move.DROP);
        row(Kind.HURRIED, Move.DROP, Move.HURRY, Move.DROP);
        row(Kind.OVERFLOWED, Move.DROP, Move.BURY, Move.DROP);
        row(Kind.DUE, Move.DROP, Move.RELEASE, Move.DROP);
    }

    private LaneTable() {}

    static Move move(RowState state, Kind kind) {
        Map<RowState, Move> byState = MOVES.get(kind);
        if (byState == null) {
            throw new IllegalStateException("the lane table has no line for " + kind + "; add one");
        }
        return byState.getOrDefault(state, Move.DROP);
    }

    private static void row(Kind kind, Move absent, Move waiting, Move released) {
        MOVES.put(
                kind,
                new EnumMap<>(Map.of(RowState.ABSENT, absent, RowState.WAITING, waiting, RowState.RELEASED, released)));
    }
}
