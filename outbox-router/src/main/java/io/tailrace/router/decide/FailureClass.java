package io.tailrace.router.decide;

import io.tailrace.contract.record.Reason;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a failure means for its row: the one table of the router. {@link Decider} asks it about reasons and destinations, the topology
 * about what is thrown.
 *
 * <table>
 *   <caption>failures</caption>
 *   <tr><th>class</th><th>what</th><th>its row</th><th>attempts</th></tr>
 *   <tr><td>{@link #ROW_FATAL}</td><td>malformed, name invalid, version mismatch, too large, something thrown at it before anything was
 *       done</td>
 *       <td>dead letter at once</td><td>ends them</td></tr>
 *   <tr><td>{@link #ROW_RETRIABLE}</td><td>no route</td><td>one retry on the normal wait, none if its policy allows one attempt only; then dead letter</td><td>uses one</td></tr>
 *   <tr><td>{@link #DESTINATION_DOWN}</td><td>its topic is missing, forbidden, not writable, not looked at yet</td>
 *       <td>waits on its lane without an end, and the lane has no limit meanwhile</td><td>uses none</td></tr>
 *   <tr><td>{@link #SYSTEMIC}</td><td>broker, coordinator, authentication: whatever Kafka's client throws; a topic of
 *       Tailrace's own (dead letters, audit feed, ...) that cannot be written; stores that are torn or of a newer release</td>
 *       <td>untouched: nothing is taken in, and the transaction never was</td><td>uses none</td></tr>
 * </table>
 *
 * <p>The fallback is {@link #ROW_FATAL}: what nobody foresaw parks one row and says why, and never stops the others. It holds while a row
 * is looked at; once something has been done for it, whatever is thrown takes back the transaction.
 */
public enum FailureClass {
    ROW_FATAL,
    ROW_RETRIABLE,
    DESTINATION_DOWN,
    SYSTEMIC;

    private static final Map<Reason, FailureClass> OF_REASON = new EnumMap<>(Map.of(
            Reason.MALFORMED, ROW_FATAL,
            Reason.NAME_INVALID, ROW_FATAL,
            Reason.VERSION_MISMATCH, ROW_FATAL,
            Reason.TOO_LARGE, ROW_FATAL,
            Reason.TIMER_ERROR, ROW_FATAL,
            Reason.LANE_OVERFLOW, ROW_FATAL,
            Reason.NO_ROUTE, ROW_RETRIABLE));

    /** Of a failure that lies in the row. */
    public static FailureClass of(Reason reason) {
        return OF_REASON.getOrDefault(reason, ROW_FATAL);
    }

    /** Of a destination, as far as its state goes; none of one that is {@link Destination.State#WRITABLE}. */
    public static Optional<FailureClass> of(Destination.State state) {
        return state == Destination.State.WRITABLE ? Optional.empty() : Optional.of(DESTINATION_DOWN);
    }

    /** Of a topic of Tailrace's own, without which no row can go on; none before the first look. */
    public static Optional<FailureClass> ofOwn(Destination.State state) {
        return state == Destination.State.WRITABLE || state == Destination.State.UNKNOWN
                ? Optional.empty()
                : Optional.of(SYSTEMIC);
    }

    /**
     * Of something thrown.
     *
     * @param liesOutsideTheRow whether the error, or one that caused it, is of Kafka's own or of the stores
     */
    public static FailureClass ofThrown(boolean liesOutsideTheRow) {
        return liesOutsideTheRow ? SYSTEMIC : ROW_FATAL;
    }
}
