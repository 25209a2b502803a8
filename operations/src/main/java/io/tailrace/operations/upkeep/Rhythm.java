package io.tailrace.operations.upkeep;

import io.tailrace.contract.config.TailraceConfig;
import java.time.Duration;

/**
 * When what is done.
 *
 * @param first until the first look at overdue rows
 * @param every between two looks
 * @param overdue by how much a row is when it is sent again
 * @param firstRetention until the first clearing
 * @param everyRetention between two of them
 */
public record Rhythm(
        Duration first, Duration every, Duration overdue, Duration firstRetention, Duration everyRetention) {

    /** As it is meant. */
    public static Rhythm of(TailraceConfig config) {
        return new Rhythm(
                Duration.ofSeconds(5),
                Duration.ofMinutes(15),
                Duration.ofMinutes(15),
                Duration.ofMinutes(1),
                config.retention().every());
    }
}
