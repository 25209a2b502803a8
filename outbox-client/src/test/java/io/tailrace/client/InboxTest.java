package io.tailrace.client;

import static io.tailrace.client.Database.begin;
import static io.tailrace.client.Database.lent;
import static io.tailrace.client.Database.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.name.TableNames;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.io.IOException;
import java.sql.Connection;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a database that has the inbox and nothing else of Tailrace. */
@RealParts
class InboxTest {

    private static final Inbox INBOX = TailraceClient.create().inbox();

    private final AtomicInteger effects = new AtomicInteger();
    private final UUID event = UUID.randomUUID();

    @BeforeEach
    void migrate(Stack stack) throws Exception {
        try (Connection connection = stack.connect()) {
            Schema.migrate(connection, TableNames.DEFAULT, Scope.INBOX, Database.ownership(stack));
        }
    }

    @Test
    void anEventIsHandledOnceForEachSubscription(Stack stack) throws Exception {
        try (Connection connection = begin(stack)) {
            assertThat(once(lent(connection), "billing")).isEqualTo(InboxOutcome.RAN);
            assertThat(once(connection, "billing")).isEqualTo(InboxOutcome.DUPLICATE);
            connection.commit();
            assertThat(once(connection, "billing")).isEqualTo(InboxOutcome.DUPLICATE);
            assertThat(once(connection, "shipping")).isEqualTo(InboxOutcome.RAN);
            connection.rollback();
            assertThat(once(connection, "shipping")).isEqualTo(InboxOutcome.RAN);
            connection.commit();
        }
        assertThat(effects).hasValue(3);
        assertThat(
                        rows(
                                stack,
                                "SELECT subscription, status, turn, completed_at IS NOT NULL FROM tailrace.delivery ORDER BY 1"))
                .containsExactly("billing|COMPLETED|0|t", "shipping|COMPLETED|0|t");
    }

    @Test
    void workThatThrowsIsNotDone(Stack stack) throws Exception {
        try (Connection connection = begin(stack)) {
            assertThatThrownBy(() -> INBOX.once(connection, "billing", event, () -> {
                        throw new IOException("printer on fire");
                    }))
                    .isInstanceOf(IOException.class);
            connection.commit();
            assertThat(once(connection, "billing")).isEqualTo(InboxOutcome.RAN);
            connection.commit();
        }
    }

    @Test
    void whileOneIsAtItTheOtherDoesNothing(Stack stack) throws Exception {
        try (Connection one = begin(stack);
                Connection two = begin(stack)) {
            assertThat(once(one, "billing")).isEqualTo(InboxOutcome.RAN);
            assertThat(once(two, "billing")).isEqualTo(InboxOutcome.RUNNING);
            one.commit();
            assertThat(once(two, "billing")).isEqualTo(InboxOutcome.DUPLICATE);
            two.rollback();
        }
        assertThat(effects).hasValue(1);
    }

    @Test
    void whoeverClaimsMeetsOnOneLock(Stack stack) throws Exception {
        try (Connection executor = begin(stack);
                Connection application = begin(stack)) {
            assertThat(rows(
                            executor,
                            "SELECT pg_try_advisory_xact_lock(tailrace.lock_key('billing', '" + event + "'::uuid))"))
                    .containsExactly("t");
            assertThat(once(application, "billing")).isEqualTo(InboxOutcome.RUNNING);
            executor.rollback();
            application.rollback();
        }
    }

    @Test
    void anOldSnapshotCannotDoItTwice(Stack stack) throws Exception {
        try (Connection one = begin(stack);
                Connection two = begin(stack)) {
            two.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            rows(two, "SELECT 1");
            once(one, "billing");
            one.commit();
            assertThatThrownBy(() -> once(two, "billing")).hasMessageContaining("delivery_pkey");
            two.rollback();
        }
    }

    @Test
    void whatTheExecutorOwnsIsLeftToIt(Stack stack) throws Exception {
        stack.execute("INSERT INTO tailrace.delivery (subscription, event_id, turn, attempts) VALUES ('billing', '"
                + event + "', 1, 1)");
        try (Connection connection = begin(stack)) {
            assertThat(once(connection, "billing")).isEqualTo(InboxOutcome.WAITING);
            connection.rollback();
        }
        assertThat(effects).hasValue(0);
    }

    private InboxOutcome once(Connection connection, String subscription) throws Exception {
        return INBOX.once(connection, subscription, event, effects::incrementAndGet);
    }
}
