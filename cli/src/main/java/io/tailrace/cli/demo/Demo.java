package io.tailrace.cli.demo;

import io.tailrace.cli.demo.ShopDatabase.Effect;
import io.tailrace.cli.demo.Summary.Counted;
import io.tailrace.cli.demo.Witness.Sighting;
import io.tailrace.contract.Part;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Selection;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The whole main job, once: everything is started, the shop writes, what fails is retried, what is poisoned is parked, its causes are
 * mended, it is replayed; then it is counted from outside. Single use.
 */
public final class Demo {

    private static final Duration LOOK_EVERY = Duration.ofMillis(200);
    private static final int MOST_TOLD = 10;

    private final Story story = Story.DEMO;
    private final Clock clock;
    private final Consumer<String> progress;
    private final Pause pause;
    private final Duration patience;
    private long startedMs;

    /**
     * Makes one.
     *
     * @param progress told a line at each step
     * @param pause waits between two looks; answers true when the demo is to be given up
     * @param patience for all of it
     */
    public Demo(Clock clock, Consumer<String> progress, Pause pause, Duration patience) {
        this.clock = clock;
        this.progress = progress;
        this.pause = pause;
        this.patience = patience;
    }

    /** Waits, unless somebody wants the end. */
    public interface Pause {
        /** Whether to give up. */
        boolean isOver(Duration wait) throws InterruptedException;
    }

    /** It did not come to its end; the message says what was waited for, and the lines what is known. */
    public static final class Stuck extends Exception {
        private static final long serialVersionUID = 1L;

        Stuck(String message) {
            super(message);
        }
    }

    /** A look at everything, while waiting. */
    private record Look(Set<UUID> events, List<Sighting> sightings, List<Effect> effects, Set<UUID> commands) {}

    /** @throws Stuck when a step does not come to its end */
    public Summary run() throws IOException, SQLException, InterruptedException, Stuck {
        startedMs = clock.millis();
        tell("starting PostgreSQL and Kafka");
        try (DemoStack stack = DemoStack.start(clock)) {
            ShopDatabase database = new ShopDatabase(stack.config().source());
            database.create();
            tell("starting engine, router and executor");
            stack.startParts();
            await(
                    "all parts to be ready",
                    stack,
                    () -> stack.parts().stream().allMatch(part -> part.health().isReady()));
            return play(stack, database);
        }
    }

    private Summary play(DemoStack stack, ShopDatabase database) throws SQLException, InterruptedException, Stuck {
        DeadLetters deadLetters = new DeadLetters(stack.config());
        String servers = stack.config().kafka().bootstrapServers();
        try (Witness witness = new Witness(servers, isRouted(stack))) {
            tell("the shop opens: %d orders of %d customers", story.orders(), story.customers());
            Shop.Day day = new Shop(story, database).open();
            tell("%d orders committed, %d rolled back", day.committed(), day.rolledBack());

            await("everything but the two poisoned rows to arrive", stack, () -> {
                Look look = look(database, witness);
                return look.sightings().size() >= look.events().size() - 1
                        && look.effects().size() >= look.commands().size() - 1;
            });
            await(
                    "the two poisoned rows to be parked",
                    stack,
                    () -> parked(deadLetters).size() == 2);
            parked(deadLetters)
                    .forEach(letter ->
                            tell("parked: %s, %s: %s", letter.name(), letter.reason(), letter.errorMessage()));

            tell("mending: a route for %s, the carrier switched on", Story.POINTS_GRANTED);
            stack.restartRouterWithRoute("loyalty.*");
            database.switchOn(Story.CARRIER);
            long replayed = replay(deadLetters);
            tell("%d dead letters replayed", replayed);
            await("the replayed rows to arrive", stack, () -> {
                Look look = look(database, witness);
                return look.sightings().size() >= look.events().size()
                        && look.effects().size() >= look.commands().size()
                        && database.openCommands() == 0
                        && parked(deadLetters).isEmpty();
            });
            tell("counting");
            Counted counted = count(stack, database, parked(deadLetters).size());
            return Summary.of(day, counted, replayed, elapsedMs() / 1000.0, story);
        }
    }

    private static long replay(DeadLetters deadLetters) {
        Replay.Order order = new Replay.Order("demo", "demo", false);
        return deadLetters.replay(Topics.EVENTS, Selection.ALL, order).count(Outcome.REPLAYED)
                + deadLetters.replay(Topics.COMMANDS, Selection.ALL, order).count(Outcome.REPLAYED);
    }

    private static List<DeadLetter> parked(DeadLetters deadLetters) {
        List<DeadLetter> parked = new ArrayList<>(deadLetters.list(Topics.EVENTS, Selection.ALL));
        parked.addAll(deadLetters.list(Topics.COMMANDS, Selection.ALL));
        return parked;
    }

    /** Effects first: whatever is committed between two looks is then expected and not yet seen, never the reverse. */
    private static Look look(ShopDatabase database, Witness witness) throws SQLException {
        List<Effect> effects = database.effects();
        List<Sighting> sightings = witness.look();
        return new Look(database.events(), sightings, effects, database.commands());
    }

    /** With a consumer of its own, from the beginning. */
    private static Counted count(DemoStack stack, ShopDatabase database, int stillDead) throws SQLException {
        String servers = stack.config().kafka().bootstrapServers();
        Topics topics = stack.config().topicNames();
        List<Sighting> routed;
        try (Witness witness = new Witness(servers, isRouted(stack))) {
            routed = witness.look();
        }
        Set<String> delivery = Set.of(
                topics.retry(Topics.EVENTS),
                topics.retry(Topics.COMMANDS),
                topics.deadLetters(Topics.EVENTS),
                topics.deadLetters(Topics.COMMANDS));
        List<Sighting> travelled;
        try (Witness witness = new Witness(servers, delivery::contains)) {
            travelled = witness.look();
        }
        List<Effect> effects = database.effects();
        List<String> outOfOrder = new ArrayList<>(Tally.eventsOutOfOrder(routed));
        outOfOrder.addAll(Tally.effectsOutOfOrder(effects, Story.CHARGE_CARD));
        return new Counted(
                database.orders(),
                routed.stream().map(Sighting::key).distinct().count(),
                Tally.of(database.events(), routed.stream().map(Sighting::id).toList()),
                Tally.of(
                        database.commands(),
                        effects.stream()
                                .map(effect -> effect.commandId().toString())
                                .toList()),
                outOfOrder,
                distinct(travelled, Demo::isRetry),
                distinct(travelled, seen -> seen.topic().endsWith(".dlq") && !seen.tombstone()),
                stillDead);
    }

    /** Failed and tried again: what waits behind such a row was not tried. */
    private static boolean isRetry(Sighting seen) {
        boolean waits = seen.header("tailrace-kind").equals("failed")
                || seen.header("tailrace-kind").equals("waiting");
        return seen.topic().endsWith(".retry")
                && waits
                && !seen.header("tailrace-attempt").isEmpty()
                && !seen.header("tailrace-attempt").equals("0");
    }

    private static long distinct(List<Sighting> sightings, Predicate<Sighting> wanted) {
        return sightings.stream().filter(wanted).map(Sighting::id).distinct().count();
    }

    private static Predicate<String> isRouted(DemoStack stack) {
        Topics topics = stack.config().topicNames();
        String prefix = topics.defaultDestination("");
        return topic -> topic.startsWith(prefix) && !topics.isReserved(topic, List.of());
    }

    /** Something that may be so by now. */
    private interface Condition {
        boolean holds() throws SQLException;
    }

    private void await(String what, DemoStack stack, Condition condition)
            throws SQLException, InterruptedException, Stuck {
        while (!condition.holds()) {
            if (elapsedMs() > patience.toMillis()) {
                throw new Stuck("waited in vain for " + what + diagnosis(stack));
            }
            if (pause.isOver(LOOK_EVERY)) {
                throw new Stuck("given up while waiting for " + what);
            }
        }
    }

    private String diagnosis(DemoStack stack) {
        List<String> lines = new ArrayList<>();
        for (Part part : stack.parts()) {
            lines.add(part.name() + ": " + part.health().state() + " "
                    + part.health().detail());
        }
        try {
            ShopDatabase database = new ShopDatabase(stack.config().source());
            try (Witness witness = new Witness(stack.config().kafka().bootstrapServers(), isRouted(stack))) {
                Tally events = Tally.of(
                        database.events(),
                        witness.look().stream().map(Sighting::id).toList());
                lines.add("events: %d committed, %d routed, missing %s"
                        .formatted(
                                events.committed(),
                                events.seen(),
                                events.missing().stream().limit(MOST_TOLD).toList()));
            }
            lines.addAll(database.unfinished(MOST_TOLD));
            var status = new io.tailrace.operations.Status(stack.config(), clock).look();
            status.sources().forEach(source -> lines.add("slot: " + source.slot()));
            status.lags().forEach(lag -> lines.add(lag.toString()));
            lines.add("dead letters: " + status.deadLetters());
            lines.addAll(status.problems());
        } catch (SQLException | RuntimeException unknown) {
            lines.add("more is not known: " + unknown);
        }
        return "\n  " + String.join("\n  ", lines);
    }

    private void tell(String line, Object... arguments) {
        progress.accept("%5.1f s  %s".formatted(elapsedMs() / 1000.0, line.formatted(arguments)));
    }

    private long elapsedMs() {
        return clock.millis() - startedMs;
    }
}
