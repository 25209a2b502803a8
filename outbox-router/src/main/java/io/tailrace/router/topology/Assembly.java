package io.tailrace.router.topology;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.router.deadletter.DeadLetters;
import io.tailrace.router.deadletter.Parking;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.deliver.Outbound;
import io.tailrace.router.due.Agenda;
import io.tailrace.router.due.DueStore;
import io.tailrace.router.flow.CommandFlow;
import io.tailrace.router.flow.EventFlow;
import io.tailrace.router.flow.GiveUp;
import io.tailrace.router.flow.Router;
import io.tailrace.router.flow.SubscriptionFlow;
import io.tailrace.router.flow.Surroundings;
import io.tailrace.router.lane.LaneStore;
import io.tailrace.router.lane.LaneWatcher;
import io.tailrace.router.lane.Lanes;
import io.tailrace.router.lane.ParkedStore;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.past.Past;
import io.tailrace.router.past.PastStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * What all tasks of a router share, and how one of them is put together.
 *
 * @param topics of the namespace
 * @param subscriptions of events, by name
 * @param decider about events and commands
 * @param rules of rows
 * @param metrics of all tasks
 * @param clock the only one
 */
public record Assembly(
        Topics topics,
        List<String> subscriptions,
        Decider decider,
        RowRules rules,
        RouterMetrics metrics,
        InstantSource clock) {

    public Assembly {
        subscriptions = List.copyOf(subscriptions);
    }

    /** Stands before a task's stores. */
    Router router(
            LaneStore lanes, ParkedStore parked, DueStore due, PastStore past, Outbound outbound, LaneWatcher watcher) {
        Agenda agenda = new Agenda(due);
        Surroundings around = new Surroundings(
                new Lanes(lanes, parked, agenda, rules.limits(), watcher),
                agenda,
                Past.over(past),
                metrics,
                clock,
                new SplittableRandom());
        Parking events = parking(Topics.EVENTS, decider::destinationOf);
        Parking commands = parking(Topics.COMMANDS, command -> Optional.of(topics.commands()));
        SubscriptionFlow ofCommands =
                new SubscriptionFlow(Topics.COMMANDS, around, commands, topics.redelivery(Topics.COMMANDS));
        List<SubscriptionFlow> ofEvents = new ArrayList<>();
        for (String x : subscriptions) {
            // An event was to go to its handler, and is at its destination long since.
            Parking parking = parking(x, event -> Optional.empty());
            ofEvents.add(new SubscriptionFlow(x, around, parking, topics.redelivery(x)));
        }
        List<SubscriptionFlow> all = new ArrayList<>(List.of(ofCommands));
        all.addAll(ofEvents);
        return new Router(
                topics,
                around,
                outbound,
                new GiveUp(Thrown::isSystemic),
                new EventFlow(around, decider, events, rules.redaction()),
                new CommandFlow(around, decider, commands, rules.redaction(), ofCommands, ofEvents, topics.commands()),
                all);
    }

    private Parking parking(String x, Function<Headers, Optional<String>> destinationOf) {
        return new Parking(
                x,
                new DeadLetters(topics.deadLetters(x), rules.letters()),
                rules.redaction(),
                destinationOf,
                metrics,
                clock);
    }
}
