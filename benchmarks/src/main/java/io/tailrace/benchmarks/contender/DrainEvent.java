package io.tailrace.benchmarks.contender;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Marks in a flight recording the time that was measured, and carries what it took. */
@Name(DrainEvent.NAME)
@Label("Drain")
@Category("Tailrace")
@Description("From the first rows that were delivered to the last")
@StackTrace(false)
public final class DrainEvent extends Event {

    /** As it is called in a recording. */
    public static final String NAME = "io.tailrace.benchmarks.Drain";

    /** The field of that name: {@link Measured} as JSON. */
    public static final String MEASURED = "measured";

    @Label("Measured")
    String measured = "";
}
