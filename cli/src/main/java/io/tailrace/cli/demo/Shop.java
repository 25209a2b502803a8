package io.tailrace.cli.demo;

import io.tailrace.client.Command;
import io.tailrace.client.Event;
import io.tailrace.client.TailraceClient;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Writes orders as an application does: rows of its own, events and commands in one transaction, some of which are rolled back. Each
 * customer is served by one thread, so the numbers it gives are the order in which the rows were committed; gaps are rollbacks.
 */
final class Shop {

    private final Story story;
    private final ShopDatabase database;
    private final TailraceClient client = TailraceClient.create();

    Shop(Story story, ShopDatabase database) {
        this.story = story;
        this.database = database;
    }

    /** Transactions, by how they ended. */
    record Day(int committed, int rolledBack, int savepointsRolledBack) {
        Day plus(Day other) {
            return new Day(
                    committed + other.committed,
                    rolledBack + other.rolledBack,
                    savepointsRolledBack + other.savepointsRolledBack);
        }
    }

    /** Serves all customers; returns when every order is written. */
    Day open() {
        List<CompletableFuture<Day>> writers = new ArrayList<>();
        for (int writer = 0; writer < story.writers(); writer++) {
            Writer each = new Writer(writer);
            writers.add(CompletableFuture.supplyAsync(each::work, task -> {
                Thread thread = new Thread(task, "shop-writer-" + each.number);
                thread.setDaemon(true);
                thread.start();
            }));
        }
        return writers.stream().map(CompletableFuture::join).reduce(new Day(0, 0, 0), Day::plus);
    }

    /** One thread with one connection. */
    private final class Writer {

        private final int number;
        private final Random chance;
        private final Map<String, Integer> numbers = new HashMap<>();
        private int committed;
        private int rolledBack;
        private int savepoints;

        private Writer(int number) {
            this.number = number;
            this.chance = new Random(story.seed() + number);
        }

        private Day work() {
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                while (committed < story.orders() / story.writers()) {
                    order(connection);
                }
                return new Day(committed, rolledBack, savepoints);
            } catch (SQLException failed) {
                throw new CompletionException(failed);
            }
        }

        private void order(Connection connection) throws SQLException {
            String customer =
                    "customer-" + (chance.nextInt(story.customers() / story.writers()) * story.writers() + number);
            int n = numbers.merge(customer, 1, Integer::sum);
            insertOrder(connection, customer, n);
            client.outbox()
                    .publish(
                            connection,
                            Event.of(Story.ORDER_PLACED).key(customer).json(json(n, 0)));
            if (chance.nextInt(Story.SAVEPOINT) == 0) {
                changeOfMind(connection, customer, n);
            }
            int failures = committed % Story.FAILING == Story.FAILING / 2 ? Story.FAILURES : 0;
            client.commands()
                    .schedule(
                            connection,
                            Command.of(Story.CHARGE_CARD).key(customer).json(json(n, failures)));
            if (committed % Story.LATER == Story.LATER / 2) {
                client.commands()
                        .schedule(
                                connection,
                                Command.of(Story.SEND_REMINDER).key(customer).json(json(n, 0)),
                                later());
            }
            poison(connection, customer, n);
            if (chance.nextInt(Story.ROLLED_BACK) == 0) {
                connection.rollback();
                rolledBack++;
            } else {
                connection.commit();
                committed++;
            }
        }

        private void insertOrder(Connection connection, String customer, int n) throws SQLException {
            try (PreparedStatement statement =
                    connection.prepareStatement("INSERT INTO shop.orders (id, customer) VALUES (?, ?)")) {
                statement.setString(1, customer + "/" + n);
                statement.setString(2, customer);
                statement.executeUpdate();
            }
        }

        /** Rows that never were, within a transaction that is. */
        private void changeOfMind(Connection connection, String customer, int n) throws SQLException {
            Savepoint before = connection.setSavepoint();
            client.outbox()
                    .publish(
                            connection,
                            Event.of(Story.ORDER_PLACED).key(customer).json(json(n, 0)));
            client.commands()
                    .schedule(
                            connection,
                            Command.of(Story.CHARGE_CARD).key(customer).json(json(n, 0)));
            connection.rollback(before);
            savepoints++;
        }

        /** In the middle of the day, once each; when that order is rolled back, with the next one. */
        private void poison(Connection connection, String customer, int n) throws SQLException {
            if (committed != story.orders() / story.writers() / 2) {
                return;
            }
            if (number == 0) {
                client.outbox()
                        .publish(
                                connection,
                                Event.of(Story.POINTS_GRANTED).key(customer).json(json(n, 0)));
            }
            if (number == story.writers() - 1) {
                client.commands()
                        .schedule(
                                connection,
                                Command.of(Story.BOOK_CARRIER).key(customer).json(json(n, 0)));
            }
        }

        private Duration later() {
            long range = Story.LATEST_LATER.minus(Story.SOONEST_LATER).toMillis();
            return Story.SOONEST_LATER.plusMillis((long) (chance.nextDouble() * range));
        }
    }

    private static String json(int n, int failures) {
        return "{\"n\": %d, \"failures\": %d}".formatted(n, failures);
    }
}
