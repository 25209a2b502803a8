package io.tailrace.proof.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.proof.child.RouterSite;
import io.tailrace.proof.load.RowId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a record stands for, and which attempts are a row's own. */
class JudgeTest {

    private static final Topics TOPICS = new Topics(new Namespace("proof"));
    private static final String SHOP = RouterSite.topic(RouterSite.SHOP);
    private static final String RETRY = TOPICS.retry(Topics.EVENTS);
    private static final String DEAD = TOPICS.deadLetters(Topics.EVENTS);

    private final List<Stored.Event> events = new ArrayList<>();
    private final List<Stored.Command> commands = new ArrayList<>();
    private final List<Sighting> seen = new ArrayList<>();
    private int rows;

    @Test
    void aRowWithoutAFaultMayUseNoAttempt() {
        String well = event(Names.SHOP, false);
        String away = event(Names.AWAY, false);
        seen(RETRY, well, Kind.WAITING, 0);
        assertThat(burned()).isZero();
        seen(RETRY, away, Kind.WAITING, 2);
        assertThat(burned()).isEqualTo(2);
    }

    @Test
    void aRowWithoutAFaultThatDiesHasUsedAnAttemptWhateverItSays() {
        seen(DEAD, event(Names.SHOP, false), Kind.DEAD, 0);
        assertThat(burned()).isEqualTo(1);
    }

    @Test
    void whatFailsByItselfIsItsOwn() {
        seen(DEAD, event(Names.VOID, false), Kind.DEAD, 2);
        seen(DEAD, event(Names.SMALL, true), Kind.DEAD, 1);
        seen(DEAD, event(Names.NO_NAME, false), Kind.DEAD, 1);
        seen(RETRY, event(Names.later(3), false), Kind.WAITING, 1);
        assertThat(burned()).isZero();
    }

    @Test
    void moreThanItsOwnIsNot() {
        String poison = event(Names.VOID, false);
        seen(DEAD, poison, Kind.DEAD, 3);
        String later = event(Names.later(3), false);
        seen(DEAD, later, Kind.DEAD, 2);
        assertThat(burned()).isEqualTo(2);
        assertThat(judge().burned(Set.of(later))).containsOnlyKeys(poison);
    }

    @Test
    void anAttemptOfACommandBeyondThoseItWasToldToFailIsBurned() {
        commands.add(new Stored.Command(id(RowId.Table.COMMAND), "key", 0, true, 2, 1));
        commands.add(new Stored.Command(id(RowId.Table.COMMAND), "key", 0, true, 1, 1));
        assertThat(burned()).isEqualTo(1);
    }

    @Test
    void aCopyThatIsMissingOrSecondIsSeen() {
        String first = event(Names.SHOP, false);
        String second = event(Names.SHOP, false);
        for (String id : List.of(first, second)) {
            seen(SHOP, id, Kind.EVENT, 0);
        }
        seen(TOPICS.auditFeed(), first, Kind.EVENT, 0);
        seen(TOPICS.auditFeed(), first, Kind.EVENT, 0);
        assertThat(judge().events(Set.of()).isClean()).isTrue();
        assertThat(judge().audit(Set.of()).missing()).isEqualTo(1);
        assertThat(judge().audit(Set.of()).duplicated()).isEqualTo(1);
    }

    /** Both in one transaction: a row that is in one of them only was torn. */
    @Test
    void aRowThatIsInOneOfItsTwoTopicsOnlyIsSeen() {
        String small = RouterSite.topic(RouterSite.SMALL);
        String old = RouterSite.topic(RouterSite.OLD);
        String both = event(Names.SMALL, false);
        String dead = event(Names.SMALL, true);
        seen(SHOP, event(Names.SHOP, false), Kind.EVENT, 0);
        seen(small, both, Kind.EVENT, 0);
        seen(DEAD, dead, Kind.DEAD, 1);
        seen(DEAD, event(Names.VOID, false), Kind.DEAD, 2);
        assertThat(judge().legacy(Set.of()).missing()).isEqualTo(1);
        seen(old, both, Kind.EVENT, 0);
        assertThat(judge().legacy(Set.of()).isClean()).isTrue();
        assertThat(judge().legacy(Set.of()).committed()).isEqualTo(2);
        seen(old, dead, Kind.EVENT, 0);
        assertThat(judge().legacy(Set.of()).duplicated()).as("dead, and there").isEqualTo(1);
        assertThat(judge().legacy(Set.of(dead)).isClean()).as("replayed").isTrue();
        seen(old, event(Names.SHOP, false), Kind.EVENT, 0);
        assertThat(judge().legacy(Set.of(dead)).duplicated())
                .as("of one that does not belong there")
                .isEqualTo(1);
    }

    @Test
    void aCommandThatComesEarlyIsOutOfOrder() {
        Clock clock = Clock.systemUTC();
        String id = id(RowId.Table.COMMAND);
        commands.add(new Stored.Command(id, null, clock.millis() + 10_000, true, 0, 0));
        seen(TOPICS.commands(), id, Kind.COMMAND, 0);
        assertThat(judge().due(clock).orderViolations()).isEqualTo(1);
    }

    @Test
    void effectsOfAKeyFollowTheOrderInWhichTheyBecameDue() {
        String first = id(RowId.Table.COMMAND);
        String second = id(RowId.Table.COMMAND);
        for (String id : List.of(first, second)) {
            commands.add(new Stored.Command(id, "key", 0, true, 0, 0));
            seen(TOPICS.commands(), id, Kind.COMMAND, 0);
        }
        assertThat(judge().commands(List.of(first, second), Set.of()).isClean()).isTrue();
        assertThat(judge().commands(List.of(second, first), Set.of()).orderViolations())
                .isEqualTo(1);
        assertThat(judge().commands(List.of(first, second, first), Set.of()).duplicated())
                .isEqualTo(1);
    }

    @Test
    void aReplayedCommandIsOnlyOutOfItsPlaceBehindNewerOnes() {
        String first = id(RowId.Table.COMMAND);
        String second = id(RowId.Table.COMMAND);
        for (String id : List.of(first, second)) {
            commands.add(new Stored.Command(id, "key", 0, true, 0, 0));
            seen(TOPICS.commands(), id, Kind.COMMAND, 0);
            seen.add(letter(TOPICS.deadLetters(Topics.COMMANDS), id));
        }
        assertThat(orderViolations(List.of(second, first), Set.of(first))).isZero();
        assertThat(orderViolations(List.of(first, second), Set.of(second))).isZero();
        assertThat(orderViolations(List.of(second, first), Set.of(second)))
                .as("the replayed one is in its place, the other one is not")
                .isEqualTo(1);
    }

    private long orderViolations(List<String> effects, Set<String> replayed) {
        return judge().commands(effects, replayed).orderViolations();
    }

    @Test
    void whatNeverHappenedIsNotProved() {
        String away = event(Names.AWAY, false);
        String job = id(RowId.Table.COMMAND);
        commands.add(new Stored.Command(job, "key", 0, true, 1, 1));
        assertThat(judge().evidence(List.of(), List.of("a replay was fenced")).gaps())
                .hasSize(5);
        String before = id(RowId.Table.OUTBOX);
        events.add(new Stored.Event(before, Names.AWAY, "away/first/1", false));
        seen(RouterSite.topic(RouterSite.AWAY), before, Kind.EVENT, 0);
        seen(SHOP, event(Names.SHOP, false), Kind.EVENT, 0);
        assertThat(judge().evidence(List.of(), List.of("a replay was fenced")).gaps())
                .as("delivered before the outage, and on time")
                .hasSize(5);
        seen(RouterSite.topic(RouterSite.AWAY), away, Kind.EVENT, 0);
        seen(RouterSite.topic(RouterSite.OLD), event(Names.SMALL, false), Kind.EVENT, 0);
        Place place = new Place(0, 9);
        seen.add(new Sighting(
                SHOP, 9, event(Names.VOID, false), Optional.empty(), place, 0, 0, "replay", true, true, 0));
        assertThat(judge().evidence(List.of(job), List.of()).gaps()).isEmpty();
    }

    private static Sighting letter(String topic, String id) {
        return new Sighting(topic, 0, id, Optional.of(Kind.DEAD), null, 1, 0, null, false, true, 0);
    }

    @Test
    void ninetyNineOfAHundredAreBelow() {
        List<Long> nanos =
                LongStream.rangeClosed(1, 200).map(ms -> ms * 1_000_000).boxed().toList();
        assertThat(Latency.p99Ms(nanos)).isEqualTo(198.0);
        assertThat(Latency.p99Ms(List.of(7_000_000L))).isEqualTo(7.0);
    }

    private int burned() {
        return judge().burned(Set.of()).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    private Judge judge() {
        return new Judge(new Stored(events, commands), seen, TOPICS);
    }

    private String event(String name, boolean large) {
        String id = id(RowId.Table.OUTBOX);
        events.add(new Stored.Event(id, name, "key", large));
        return id;
    }

    private String id(RowId.Table table) {
        return new RowId(table, 1, rows++).uuid().toString();
    }

    private void seen(String topic, String id, Kind kind, int attempt) {
        Place place = new Place(0, seen.size());
        seen.add(new Sighting(
                topic, seen.size(), id, Optional.of(kind), place, attempt, 0, null, false, true, System.nanoTime()));
    }
}
