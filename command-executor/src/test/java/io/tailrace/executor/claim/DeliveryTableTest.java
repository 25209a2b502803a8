package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.client.InboxOutcome;
import io.tailrace.client.TailraceClient;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.executor.claim.Claim.Verdict;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the inbox says to a claim, state by state, between two sessions; a consumer's own database has no more than this. */
@RealParts
class DeliveryTableTest {

    private static final Duration LIMIT = Duration.ofSeconds(7);

    private final DeliveryTable table = new DeliveryTable("billing", TableNames.DEFAULT, LIMIT);

    @BeforeEach
    void migrate(Stack stack) throws SQLException {
        ClaimDatabase.migrate(stack, Scope.INBOX);
    }

    @Test
    void oneTransactionAtATimeOnAKeyAndOnAnEventThatHasNoRow(Stack stack) throws Exception {
        UUID first = UUID.randomUUID();
        UUID second = UUID.randomUUID();
        UUID unkeyed = UUID.randomUUID();
        DeliveryTable other = new DeliveryTable("shipping", TableNames.DEFAULT, LIMIT);
        try (Connection one = ClaimDatabase.open(stack);
                Connection two = ClaimDatabase.open(stack)) {
            assertThat(claim(one, first, "k", 1, 0)).isEqualTo(Verdict.RUN);
            assertThat(claim(two, second, "k", 2, 0)).isEqualTo(Verdict.BUSY);
            two.rollback();
            assertThat(claim(two, first, null, 1, 0)).as("by its id").isEqualTo(Verdict.BUSY);
            two.rollback();
            assertThat(other.claim(two, request(first, "k", 1, 0, false)).verdict())
                    .as("another subscription")
                    .isEqualTo(Verdict.RUN);
            assertThat(claim(two, unkeyed, null, 1, 0)).isEqualTo(Verdict.RUN);
            assertThat(claim(one, unkeyed, null, 1, 0)).isEqualTo(Verdict.BUSY);
        }
    }

    @Test
    void whatIsDoneIsSettledAndWhatIsAbandonedLeavesNothing(Stack stack) throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim claim = table.claim(connection, request(id, "k", 1, 0, false));
            assertThat(table.complete(connection, claim)).isTrue();
            connection.rollback();
            Claim again = table.claim(connection, request(id, "k", 1, 0, false));
            assertThat(again.verdict()).isEqualTo(Verdict.RUN);
            assertThat(again.theRow().payload()).isEqualTo(Bytes.utf8("{}"));
            assertThat(table.completeAndCommit(connection, again, false)).isTrue();
            connection.rollback();
            assertThat(claim(connection, id, "k", 1, 0)).isEqualTo(Verdict.SETTLED);
            assertThat(claim(connection, id, "k", 1, 5)).isEqualTo(Verdict.SETTLED);
            connection.rollback();
            assertThat(table.complete(connection, again))
                    .as("the claim was another transaction's")
                    .isFalse();
            assertThat(table.completeAndCommit(connection, again, false)).isFalse();
        }
    }

    @Test
    void aFailureThatIsTakenBackLeavesTheTurnAndStandsIfThatDoesNotCommit(Stack stack) throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim claim = table.claim(connection, request(id, "k", 1, 0, false));
            assertThat(table.dead(connection, claim, 1, Reason.RETRIES_EXHAUSTED, "WorkerDied: worker died"))
                    .isPresent();
            connection.commit();
            ClaimRequest next = request(id, "k", 1, 1, false);
            table.acquit(
                    connection, request(id, "k", 1, 5, false), claim.theRow().progress());
            assertThat(table.claim(connection, next).verdict())
                    .as("of another turn")
                    .isEqualTo(Verdict.DEAD);
            connection.rollback();
            table.acquit(connection, next, claim.theRow().progress());
            Claim again = table.claim(connection, next);
            assertThat(again.verdict()).isEqualTo(Verdict.RUN);
            assertThat(again.theRow().progress().attempts()).isZero();
            assertThat(again.theRow().progress().error()).isNull();
            assertThat(table.complete(connection, again)).isTrue();
            connection.rollback();
            assertThat(claim(connection, id, "k", 1, 0)).as("it stands").isEqualTo(Verdict.REPEAT);
            connection.rollback();
        }
    }

    @Test
    void theInboxOfAnApplicationAndTheClaimOfAWorkerExcludeEachOther(Stack stack) throws Exception {
        UUID id = UUID.randomUUID();
        var inbox = TailraceClient.builder().build().inbox();
        try (Connection worker = ClaimDatabase.open(stack);
                Connection application = ClaimDatabase.open(stack)) {
            Claim claim = table.claim(worker, request(id, null, 1, 0, false));
            assertThat(inbox.once(application, "billing", id, () -> {})).isEqualTo(InboxOutcome.RUNNING);
            application.rollback();
            assertThat(table.complete(worker, claim)).isTrue();
            worker.commit();
            assertThat(inbox.once(application, "billing", id, () -> {})).isEqualTo(InboxOutcome.DUPLICATE);
            application.rollback();

            UUID other = UUID.randomUUID();
            assertThat(inbox.once(application, "billing", other, () -> {})).isEqualTo(InboxOutcome.RAN);
            assertThat(claim(worker, other, null, 2, 0)).isEqualTo(Verdict.BUSY);
            worker.rollback();
            application.commit();
            assertThat(claim(worker, other, null, 2, 0)).isEqualTo(Verdict.SETTLED);
            worker.rollback();

            // A handler that uses the inbox for the very event that it was called for is still done once.
            UUID own = UUID.randomUUID();
            Claim mine = table.claim(worker, request(own, null, 3, 0, false));
            assertThat(inbox.once(worker, "billing", own, () -> {})).isEqualTo(InboxOutcome.RAN);
            assertThat(table.complete(worker, mine)).isTrue();
            worker.commit();
        }
    }

    @Test
    void fenceAndGuardDecideInThisOrder(Stack stack) throws Exception {
        UUID head = UUID.randomUUID();
        UUID next = UUID.randomUUID();
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim claimed = table.claim(connection, request(head, "k", 5, 0, false));
            Stamp stamp = table.waiting(connection, claimed, 1, Until.after(Duration.ofHours(1)), "E: x")
                    .orElseThrow();
            assertThat(stamp.turn()).isEqualTo(1);
            assertThat(stamp.attempts()).isEqualTo(1);
            assertThat(stamp.place()).isEqualTo(new Place(1, 5));
            connection.commit();

            Claim behind = table.claim(connection, request(next, "k", 6, 0, false));
            assertThat(behind.verdict()).isEqualTo(Verdict.BEHIND);
            assertThat(behind.met()).isEqualTo(head);
            connection.rollback();
            assertThat(claim(connection, next, "k", 4, 0)).isEqualTo(Verdict.RUN);
            connection.rollback();
            assertThat(claim(connection, head, "k", 5, 0)).as("an older turn").isEqualTo(Verdict.REPEAT);
            assertThat(claim(connection, head, "k", 5, 1)).isEqualTo(Verdict.EARLY);
            connection.rollback();
        }
    }

    @Test
    void behindStampsThoseWithoutARowAndThoseThatWaitAtTheirTurn(Stack stack) throws Exception {
        UUID fresh = UUID.randomUUID();
        UUID waits = UUID.randomUUID();
        UUID done = UUID.randomUUID();
        UUID inFront = UUID.randomUUID();
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim waiting = table.claim(connection, request(waits, "k", 12, 0, false));
            assertThat(table.waiting(connection, waiting, 0, Until.after(Duration.ZERO), null))
                    .isPresent();
            connection.commit();
            table.complete(connection, table.claim(connection, request(done, "k", 2, 0, false)));
            connection.commit();
            List<Stamp> stamps = table.behind(
                    connection,
                    "k",
                    new Place(1, 10).packed(),
                    List.of(
                            request(done, "k", 13, 0, false),
                            request(waits, "k", 12, 1, false),
                            request(fresh, "k", 11, 0, false),
                            request(inFront, "k", 9, 0, false)));
            assertThat(stamps).extracting(Stamp::id).containsExactlyInAnyOrder(fresh, waits);
            assertThat(stamps).allSatisfy(stamp -> assertThat(stamp.attempts()).isZero());
            assertThat(stamps).extracting(Stamp::turn).containsExactlyInAnyOrder(1, 2);
        }
    }

    @Test
    void aDeadOneGoesOnOnlyForAReplayThatCarriesItsTurn(Stack stack) throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim claimed = table.claim(connection, request(id, "k", 5, 0, false));
            Stamp dead =
                    table.dead(connection, claimed, 1, Reason.REJECTED, "E: x").orElseThrow();
            connection.commit();
            assertThat(claim(connection, id, "k", 5, 0)).isEqualTo(Verdict.REPEAT);
            table.announced(connection, List.of(id), List.of(dead.turn()));
            connection.commit();
            assertThat(claim(connection, id, "k", 5, 0))
                    .as("known to be dead by all")
                    .isEqualTo(Verdict.SETTLED);
            assertThat(claim(connection, id, "k", 5, dead.turn())).isEqualTo(Verdict.DEAD);
            assertThat(table.claim(connection, request(id, "k", 5, dead.turn() - 1, true))
                            .verdict())
                    .as("of an older letter")
                    .isNotEqualTo(Verdict.RUN);
            connection.rollback();

            Claim replay = table.claim(connection, request(id, "k", 5, dead.turn(), true));
            assertThat(replay.verdict()).isEqualTo(Verdict.RUN);
            assertThat(replay.theRow().progress().attempts()).as("a new budget").isZero();
            assertThat(replay.theRow().progress().error()).isEqualTo("E: x");
            connection.rollback();
            assertThat(claim(connection, id, "k", 5, dead.turn()))
                    .as("nothing happened")
                    .isEqualTo(Verdict.DEAD);
            connection.rollback();
            Claim again = table.claim(connection, request(id, "k", 5, dead.turn(), true));
            assertThat(table.waiting(connection, again, 1, Until.after(Duration.ZERO), "E: y")
                            .orElseThrow()
                            .turn())
                    .isEqualTo(dead.turn() + 1);
            connection.commit();
            assertThat(table.claim(connection, request(id, "k", 5, dead.turn(), true))
                            .verdict())
                    .as("the same replay again")
                    .isEqualTo(Verdict.REPEAT);
        }
    }

    /** Of a finite instant, since the inbox reckons with it: an early look at the row, and a repetition of its answer. */
    @Test
    void whatIsHeldUsesNothingAndWaitsWithoutAnEnd(Stack stack) throws Exception {
        ClaimDatabase.migrate(stack, Scope.ALL);
        UUID id = UUID.randomUUID();
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim claim = table.claim(connection, request(id, "k", 5, 0, false));
            Stamp held = table.held(connection, claim, "shop.paid", "E: x").orElseThrow();
            connection.commit();
            assertThat(held.turn()).isEqualTo(1);
            assertThat(held.attempts()).isZero();
            assertThat(Duration.ofMillis(held.waitMillis()).toDays()).isBetween(36_500L, 36_530L);

            assertThat(table.claim(connection, request(id, "k", 5, 0, false)).verdict())
                    .isEqualTo(Verdict.REPEAT);
            Claim early = table.claim(connection, request(id, "k", 5, 1, false));
            assertThat(early.verdict()).isEqualTo(Verdict.EARLY);
            assertThat(early.theRow().progress().attempts()).isZero();
            connection.rollback();
            assertThat(claim(connection, UUID.randomUUID(), "k", 6, 0)).isEqualTo(Verdict.BEHIND);
        }
    }

    @Test
    void aDatabaseThatCannotBeWorkedOnIsNamedWithItsFix(Stack stack) throws Exception {
        DeliveryTable elsewhere = new DeliveryTable("billing", new TableNames("elsewhere", "o", "c"), LIMIT);
        try (Connection connection = ClaimDatabase.open(stack)) {
            assertThat(table.problems(connection))
                    .singleElement()
                    .asString()
                    .contains("stamp_delivery_held", "the inbox alone is not enough for a subscription");
            connection.commit();
            ClaimDatabase.migrate(stack, Scope.ALL);
            assertThat(table.problems(connection)).isEmpty();
            assertThat(elsewhere.problems(connection))
                    .singleElement()
                    .asString()
                    .contains("tailrace db migrate");
        }
    }

    private Verdict claim(Connection connection, UUID id, @Nullable String key, long offset, int turn)
            throws SQLException {
        return table.claim(connection, request(id, key, offset, turn, false)).verdict();
    }

    private static ClaimRequest request(UUID id, @Nullable String key, long offset, int turn, boolean replay) {
        EventContent event = new EventContent(
                "shop.order",
                1,
                Bytes.utf8("{}"),
                false,
                "application/json",
                null,
                Origin.NONE,
                new EventContent.Raw(0, offset, 1_000),
                replay);
        return new ClaimRequest(id, "ns/db", key, new Place(1, offset), turn, OptionalLong.empty(), false, event);
    }
}
