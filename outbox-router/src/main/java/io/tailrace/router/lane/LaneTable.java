package io.tailrace.router.lane;

import io.tailrace.router.lane.LaneEvent.Kind;
import java.util.EnumMap;
import java.util.Map;

/**
 * The state machine of a row on a lane: what an event makes of a row, by the row's state. An event that does not pass its fence (its
 * turn against the known one) is dropped before it comes here.
 *
 * <pre>
 *              ABSENT    WAITING   RELEASED  HALTED
 * ARRIVED      ENTER     DROP      DROP      DROP      read twice: it keeps what it has
 * FAILED       ENTER     ENTER     ENTER     ENTER     waits as told
 * BEHIND       ENTER     ENTER     YIELD     ENTER     back in line; a head that met somebody backs off
 * EARLY        ENTER     DROP      REST      DROP      same turn again, later
 * DONE         DROP      LEAVE     LEAVE     LEAVE     a head that leaves so opens the window
 * DEAD         DROP      LEAVE     LEAVE     LEAVE     a head that leaves so does not
 * HALTED       HALT      HALT      HALT      HALT      dead as well, but it stays and nobody passes it
 * REPLAYED     ENTER     ENTER     ENTER     ENTER     at its own place, before newer rows
 * REVIVED      ENTER     DROP      DROP      ENTER     the same; one that waits is on its way
 * SKIPPED      DROP      DROP      DROP      LEAVE     only a halted row is passed over
 * RETIMED      ENTER     RETIME    RETIME    DROP      keeps the record that carries its payload
 * WOKEN        ENTER     DROP      DROP      ENTER     somebody has it already, unless it is dead here and pending there
 * HURRIED      DROP      HURRY     DROP      DROP
 * OVERFLOWED   DROP      BURY      DROP      DROP      what an executor holds is not taken from it
 * DUE          DROP      RELEASE   REPEAT    DROP      its hour has come; of a released row: its answer is overdue
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
        /** Keep it, or put it there, as the row at which the key stops. */
        HALT,
        /** Make it due to be given up. */
        BURY,
        /** Hand it out. */
        RELEASE,
        /** Hand it out once more, at the turn that it was handed out with: its table knows whether that is over. */
        REPEAT
    }

    private static final Map<Kind, Map<RowState, Move>> MOVES = new EnumMap<>(Kind.class);

    static {
        row(Kind.ARRIVED, Move.ENTER, Move.DROP, Move.DROP, Move.DROP);
        row(Kind.FAILED, Move.ENTER, Move.ENTER, Move.ENTER, Move.ENTER);
        row(Kind.BEHIND, Move.ENTER, Move.ENTER, Move.YIELD, Move.ENTER);
        row(Kind.EARLY, Move.ENTER, Move.DROP, Move.REST, Move.DROP);
        row(Kind.DONE, Move.DROP, Move.LEAVE, Move.LEAVE, Move.LEAVE);
        row(Kind.DEAD, Move.DROP, Move.LEAVE, Move.LEAVE, Move.LEAVE);
        row(Kind.HALTED, Move.HALT, Move.HALT, Move.HALT, Move.HALT);
        row(Kind.REPLAYED, Move.ENTER, Move.ENTER, Move.ENTER, Move.ENTER);
        row(Kind.REVIVED, Move.ENTER, Move.DROP, Move.DROP, Move.ENTER);
        row(Kind.SKIPPED, Move.DROP, Move.DROP, Move.DROP, Move.LEAVE);
        row(Kind.RETIMED, Move.ENTER, Move.RETIME, Move.RETIME, Move.DROP);
        row(Kind.WOKEN, Move.ENTER, Move.DROP, Move.DROP, Move.ENTER);
        row(Kind.HURRIED, Move.DROP, Move.HURRY, Move.DROP, Move.DROP);
        row(Kind.OVERFLOWED, Move.DROP, Move.BURY, Move.DROP, Move.DROP);
        row(Kind.DUE, Move.DROP, Move.RELEASE, Move.REPEAT, Move.DROP);
    }

    private LaneTable() {}

    static Move move(RowState state, Kind kind) {
        Map<RowState, Move> byState = MOVES.get(kind);
        if (byState == null) {
            throw new IllegalStateException("the lane table has no line for " + kind + "; add one");
        }
        return byState.getOrDefault(state, Move.DROP);
    }

    private static void row(Kind kind, Move absent, Move waiting, Move released, Move halted) {
        MOVES.put(
                kind,
                new EnumMap<>(Map.of(
                        RowState.ABSENT, absent,
                        RowState.WAITING, waiting,
                        RowState.RELEASED, released,
                        RowState.HALTED, halted)));
    }
}
