package io.tailrace.benchmarks.contender;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What every contender's handler does: it writes one row, its effect, with the moment at which the command began first. A command whose
 * payload says so fails when it is run first, before its effect is written. Thread-safe.
 */
final class CommandWork {

    /** The name of all commands, tasks and jobs. */
    static final String NAME = "send-reminder";

    private static final byte[] FAILS_FIRST = "\"failsFirst\":true".getBytes(StandardCharsets.US_ASCII);

    private static final String EFFECT = "INSERT INTO effect (number, key, began_micros) VALUES (?, ?, ?)";

    private final Clock clock;
    private final ConcurrentMap<Integer, Long> failed = new ConcurrentHashMap<>();

    CommandWork(Clock clock) {
        this.clock = clock;
    }

    /** It was to fail. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Failed() {
            // Nobody reads where it came from, and a stack costs more than the rest of the run.
            super("fails when it is run first", null, false, false);
        }
    }

    /** Runs a command over a connection; in whose transaction is for the caller to say. */
    void run(Connection connection, byte[] payload, String key) throws SQLException {
        int number = RowNumber.find(payload);
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
        Long first = failed.get(number);
        boolean fails = first == null && failsFirst(payload);
        if (fails) {
            failed.put(number, now);
            throw new Failed();
        }
        try (PreparedStatement statement = connection.prepareStatement(EFFECT)) {
            statement.setLong(1, number);
            statement.setString(2, key);
            statement.setLong(3, first == null ? now : first);
            statement.executeUpdate();
        }
    }

    private static boolean failsFirst(byte[] payload) {
        // Right behind the number, so that looking for it costs nothing.
        for (int i = 0; i < Math.min(48, payload.length - FAILS_FIRST.length); i++) {
            if (payload[i] == FAILS_FIRST[0] && matches(payload, i)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(byte[] payload, int at) {
        for (int i = 0; i < FAILS_FIRST.length; i++) {
            if (payload[at + i] != FAILS_FIRST[i]) {
                return false;
            }
        }
        return true;
    }
}
