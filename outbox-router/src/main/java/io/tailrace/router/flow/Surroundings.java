package io.tailrace.router.flow;

import io.tailrace.router.due.Agenda;
import io.tailrace.router.lane.Lanes;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.past.Past;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * What flows look at when they plan: the state of their task, read only.
 *
 * @param lanes of blocked keys
 * @param agenda of what is due
 * @param past of what has gone
 * @param metrics of all tasks
 * @param clock the only one
 * @param chance for the jitter of waits
 */
public record Surroundings(
        Lanes lanes, Agenda agenda, Past past, RouterMetrics metrics, InstantSource clock, RandomGenerator chance) {}
