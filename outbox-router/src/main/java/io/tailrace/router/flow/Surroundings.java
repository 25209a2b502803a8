package io.tailrace.router.flow;

import io.tailrace.router.deliver.Outbound;
import io.tailrace.router.due.Agenda;
import io.tailrace.router.lane.Lanes;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.past.Past;
import java.time.InstantSource;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * What surrounds the flows of one task.
 *
 * @param outbound where records leave
 * @param lanes of blocked keys
 * @param agenda of what is due
 * @param past of what has gone
 * @param metrics of all tasks
 * @param clock the only one
 * @param chance for the jitter of waits
 * @param isSystemic whether something thrown is nobody's row, but the broker's or the stores': it is passed on and stops the task,
 *     where anything else parks one row
 */
public record Surroundings(
        Outbound outbound,
        Lanes lanes,
        Agenda agenda,
        Past past,
        RouterMetrics metrics,
        InstantSource clock,
        RandomGenerator chance,
        Predicate<Throwable> isSystemic) {}
