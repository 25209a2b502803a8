package io.tailrace.engine.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.source.Position.Ties;
import io.tailrace.engine.source.Preflight.Problem;
import io.tailrace.engine.source.Preflight.Start;
import io.tailrace.engine.source.SourceFacts.Owner;
import io.tailrace.engine.source.SourceFacts.Publication;
import io.tailrace.engine.source.SourceFacts.Slot;
import io.tailrace.engine.source.SourceFacts.Table;
import io.tailrace.engine.source.SourceFacts.TimelineSwitch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each refusal in words: what is wrong, from where to where, what to do. */
class PreflightTest {

    private static final Preflight PREFLIGHT = new Preflight(
            "shop",
            "db",
            "slot",
            "pub",
            TableNames.DEFAULT,
            Map.of("outbox", Set.of("id"), "internal_command", Set.of("id")));

    private static final Slot SLOT = new Slot("logical", "pgoutput", "db", 0x100, Optional.empty(), "reserved", "");

    private static final Publication PUBLICATION =
            new Publication("1", true, false, false, false, true, List.of(table("outbox"), table("internal_command")));

    private static final Owner OWNER = new Owner("shop", "slot", "pub", Optional.of(0x100L), false);

    private static final Ties TIES = new Ties("1", "e1", "c1");

    private static final Position POSITION = new Position("sys", 1, "slot", 1, 0x200, 7, 0x180, 0);

    @Test
    void aSourceAsMigratedHasNoProblem() {
        assertThat(PREFLIGHT.problems(facts())).isEmpty();
        assertThat(start(new Facts(), Optional.empty()))
                .isEqualTo(new Start.Seed(Position.seed("sys", 1, "slot", 0x100).tiedTo(TIES)));
        assertThat(start(new Facts(), Optional.of(POSITION)))
                .as("from a release that did not note them")
                .isEqualTo(new Start.Resume(POSITION.tiedTo(TIES)));
        assertThat(start(new Facts(), Optional.of(POSITION.tiedTo(TIES))))
                .isEqualTo(new Start.Resume(POSITION.tiedTo(TIES)));
    }

    @Test
    void settingsOfTheServer() {
        assertThat(problems(new Facts().walLevel("replica"))).contains("wal_level is replica. Set wal_level = logical");
        assertThat(problems(new Facts().walSenderTimeout(0))).contains("wal_sender_timeout is 0");
        assertThat(PREFLIGHT.problems(new Facts().inRecovery(true).build()))
                .singleElement()
                .satisfies(problem -> assertThat(problem.passing())
                        .as("a standby may be promoted")
                        .isTrue());
    }

    @Test
    void tablesOfAnotherOwner() {
        assertThat(problems(new Facts().owner(null)))
                .contains("\"tailrace\".\"source\" has no row", "tailrace db migrate");
        assertThat(problems(new Facts().owner(new Owner("other", "slot", "pub", Optional.empty(), true))))
                .contains(
                        "belong to namespace 'other' with slot slot; this engine is namespace 'shop'",
                        "publish every row twice")
                .doesNotContain("Publication");
        assertThat(problems(new Facts().owner(new Owner("shop", "old_slot", "pub", Optional.empty(), true))))
                .contains("with slot old_slot");
        assertThat(problems(new Facts().owner(new Owner("shop", "slot", "old_pub", Optional.empty(), true))))
                .contains("are published by old_pub, this engine reads pub");
    }

    @Test
    void publicationsThatWouldPassRowsOver() {
        assertThat(problems(new Facts().publication(null)))
                .contains(
                        "Publication pub is missing",
                        "CREATE PUBLICATION \"pub\" FOR TABLE \"tailrace\".\"outbox\" (",
                        "Gap: from 0/100 to 0/1000");
        assertThat(problems(new Facts()
                        .publication(new Publication("1", false, false, false, false, true, PUBLICATION.tables()))))
                .contains("does not publish INSERT", "ALTER PUBLICATION \"pub\" SET (publish = 'insert')");
        assertThat(problems(new Facts()
                        .publication(new Publication("1", true, true, false, false, true, PUBLICATION.tables()))))
                .contains("publishes more than INSERT");
        assertThat(problems(new Facts()
                        .publication(new Publication("1", true, false, false, false, false, PUBLICATION.tables()))))
                .contains("SET (publish_via_partition_root = true)");
        assertThat(problems(published(table("outbox"))))
                .contains(
                        "does not publish \"tailrace\".\"internal_command\"",
                        "are not captured even when it is back",
                        "tailrace engine recover --from-table --dry-run",
                        "Run: ALTER PUBLICATION \"pub\" SET TABLE \"tailrace\".\"outbox\" (");
        assertThat(problems(published(
                        table("outbox"), table("internal_command"), new Table("app", "orders", Set.of("id"), false))))
                .contains("also publishes app.orders");
        assertThat(problems(published(table("internal_command"), new Table("tailrace", "outbox", Set.of("id"), true))))
                .contains("filters the rows of \"tailrace\".\"outbox\"");
        assertThat(problems(published(table("internal_command"), new Table("tailrace", "outbox", Set.of("x"), false))))
                .contains("leaves out columns of \"tailrace\".\"outbox\" that are captured: id");
    }

    @Test
    void slotsThatCannotBeReadOn() {
        assertThat(problems(new Facts().slot(new Slot("physical", "", "", 0, Optional.empty(), "reserved", ""))))
                .contains("is a physical slot of plugin ''");
        assertThat(problems(new Facts()
                        .slot(new Slot("logical", "pgoutput", "db", 0x100, Optional.empty(), "lost", "wal_removed"))))
                .contains(
                        "is invalidated (wal_status lost, wal_removed)",
                        "Rows committed after 0/100 may be missing",
                        "Gap: from 0/100 to 0/1000");
        assertThat(PREFLIGHT.problems(new Facts()
                        .slot(new Slot("logical", "pgoutput", "db", 0x100, Optional.empty(), "unreserved", ""))
                        .build()))
                .as("reading is what saves it")
                .isEmpty();
        assertThat(refusal(new Facts().slot(null), Optional.of(POSITION)))
                .contains("Slot slot is gone. Rows committed after 0/200 were captured by nobody");
        assertThat(refusal(new Facts().slot(null), Optional.empty()))
                .contains("Slot slot is missing.", "Gap: from 0/100 to 0/1000", "engine recover --accept-gap")
                .doesNotContain("hold rows already");
        assertThat(refusal(
                        new Facts().slot(null).owner(new Owner("shop", "slot", "pub", Optional.of(0x100L), true)),
                        Optional.empty()))
                .contains("is gone, and so is its position");
        assertThat(refusal(new Facts().slot(null).rowsExist(true), Optional.empty()))
                .contains("The tables hold rows already, which nobody captured");
    }

    @Test
    void positionsThatDoNotFitTheSource() {
        Facts facts = new Facts();
        assertThat(refusal(facts.owner(new Owner("shop", "slot", "pub", Optional.of(0x100L), true)), Optional.empty()))
                .contains("The position of slot slot is lost", "confirmed up to 0/100");
        assertThat(refusal(
                        new Facts().owner(new Owner("shop", "slot", "pub", Optional.of(0x80L), false)),
                        Optional.empty()))
                .contains(
                        "was moved before anything was read from it: it was made at 0/80 and is confirmed up to 0/100");
        assertThat(refusal(new Facts(), Optional.of(new Position("old", 1, "slot", 1, 0x200, 0, 0, 0))))
                .contains("another database cluster: its system id is sys, the last position was taken on old");
        assertThat(refusal(
                        new Facts()
                                .slot(new Slot("logical", "pgoutput", "db", 0x300, Optional.empty(), "reserved", "")),
                        Optional.of(POSITION)))
                .contains("Rows committed between 0/200 and 0/300 were captured by nobody");
        assertThat(refusal(new Facts().flushLsn(0x1F8), Optional.of(POSITION)))
                .contains("is 0/200, but the log of the database ends at 0/1F8: it was restored from a backup");
    }

    @Test
    void whatWasMadeAnewUnderTheOldNameIsAnotherThing() {
        assertThat(refusal(new Facts(), Optional.of(POSITION.tiedTo(new Ties("0", "e1", "c1")))))
                .contains("Publication pub was dropped and made again since the last position (0/200)");
        assertThat(refusal(new Facts(), Optional.of(POSITION.tiedTo(new Ties("1", "e0", "c1")))))
                .contains("Topic shop.raw.events was deleted and made again", "raises the epoch");
        assertThat(refusal(new Facts(), Optional.of(POSITION.tiedTo(new Ties("1", "e1", "c0")))))
                .contains("Topic shop.raw.commands was deleted and made again");
    }

    @Test
    void aPromotedStandbyIsFollowedIfItKnowsAllThatWasRead() {
        Position later = POSITION.onTimeline(2).tiedTo(TIES);
        assertThat(start(new Facts().timeline(2, new TimelineSwitch(1, 0x200)), Optional.of(POSITION)))
                .isEqualTo(new Start.Resume(later));
        assertThat(refusal(new Facts().timeline(2, new TimelineSwitch(1, 0x1F8)), Optional.of(POSITION)))
                .contains("left timeline 1 at 0/1F8, before the last position in Kafka (0/200)");
        assertThat(refusal(new Facts().timeline(3, new TimelineSwitch(2, 0x900)), Optional.of(POSITION)))
                .contains("timeline 3, which does not descend from timeline 1");
    }

    private static Table table(String name) {
        return new Table("tailrace", name, Set.of("id", "more"), false);
    }

    private static Facts published(Table... tables) {
        return new Facts().publication(new Publication("1", true, false, false, false, true, List.of(tables)));
    }

    private static SourceFacts facts() {
        return new Facts().build();
    }

    private static String problems(Facts facts) {
        List<Problem> problems = PREFLIGHT.problems(facts.build());
        assertThat(problems).hasSize(1);
        assertThat(problems.get(0).passing()).isFalse();
        return problems.get(0).text();
    }

    private static String refusal(Facts facts, Optional<Position> position) {
        Start start = start(facts, position);
        assertThat(start).isInstanceOf(Start.Refused.class);
        return ((Start.Refused) start).problems().get(0).text();
    }

    private static Start start(Facts facts, Optional<Position> position) {
        return PREFLIGHT.start(facts.build(), position, TIES.rawEvents(), TIES.rawCommands());
    }

    /** Facts of a healthy source, to be spoilt in one place. */
    private static final class Facts {
        private String walLevel = "logical";
        private long walSenderTimeout = 60_000;
        private boolean inRecovery;
        private int timeline = 1;
        private List<TimelineSwitch> history = List.of();
        private long flushLsn = 0x1000;
        private Optional<Slot> slot = Optional.of(SLOT);
        private Optional<Publication> publication = Optional.of(PUBLICATION);
        private Optional<Owner> owner = Optional.of(OWNER);
        private boolean rowsExist;

        Facts walLevel(String value) {
            walLevel = value;
            return this;
        }

        Facts walSenderTimeout(long value) {
            walSenderTimeout = value;
            return this;
        }

        Facts inRecovery(boolean value) {
            inRecovery = value;
            return this;
        }

        Facts timeline(int value, TimelineSwitch... before) {
            timeline = value;
            history = List.of(before);
            return this;
        }

        Facts flushLsn(long value) {
            flushLsn = value;
            return this;
        }

        Facts slot(@org.jspecify.annotations.Nullable Slot value) {
            slot = Optional.ofNullable(value);
            return this;
        }

        Facts publication(@org.jspecify.annotations.Nullable Publication value) {
            publication = Optional.ofNullable(value);
            return this;
        }

        Facts owner(@org.jspecify.annotations.Nullable Owner value) {
            owner = Optional.ofNullable(value);
            return this;
        }

        Facts rowsExist(boolean value) {
            rowsExist = value;
            return this;
        }

        SourceFacts build() {
            return new SourceFacts(
                    "sys",
                    timeline,
                    history,
                    flushLsn,
                    inRecovery,
                    walLevel,
                    walSenderTimeout,
                    slot,
                    publication,
                    owner,
                    Optional.of(rowsExist));
        }
    }
}
