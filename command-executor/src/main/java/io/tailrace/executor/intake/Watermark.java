package io.tailrace.executor.intake;

import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * How far a partition has been settled: the offset to commit is that of the first record that is not. Thread-safe.
 *
 * <p>When a record may pass, and what a crash between two steps leaves behind:
 *
 * <table>
 * <caption>Crash points</caption>
 * <tr><th>crash after</th><th>the next owner reads the record again and</th></tr>
 * <tr><td>it was read, before its claim</td><td>runs it: nothing has happened</td></tr>
 * <tr><td>its claim, before the commit</td><td>runs it: the database has rolled back</td></tr>
 * <tr><td>COMPLETED committed, before the offset (direct row)</td><td>finds it settled and lets it pass</td></tr>
 * <tr><td>COMPLETED committed, before {@code done} was acknowledged (released row)</td><td>finds it settled and answers</td></tr>
 * <tr><td>a waiting or dead stamp committed, before its answer was acknowledged</td><td>meets the turn fence and answers
 * again from the row</td></tr>
 * <tr><td>the answer was acknowledged, before the offset</td><td>answers again: the lane drops what is not a higher turn</td></tr>
 * <tr><td>the offset was committed</td><td>does not see it</td></tr>
 * </table>
 */
public final class Watermark {

    private final TreeSet<Long> unsettled = new TreeSet<>();
    private long end = -1;

    /** A record was read; offsets only rise. */
    synchronized void begun(long offset) {
        if (offset < end) {
            throw new IllegalStateException("offset " + offset + " was read after " + (end - 1));
        }
        unsettled.add(offset);
        end = offset + 1;
    }

    /** A record may pass; a second time changes nothing. */
    synchronized void settled(long offset) {
        unsettled.remove(offset);
    }

    /** The offset to commit, if anything was read. Never falls. */
    synchronized OptionalLong position() {
        if (end < 0) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(unsettled.isEmpty() ? end : unsettled.first());
    }

    /** Records that were read and may not pass yet. */
    synchronized int open() {
        return unsettled.size();
    }
}
