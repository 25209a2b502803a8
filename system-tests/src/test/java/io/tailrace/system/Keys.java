package io.tailrace.system;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;

/** Ordering keys by where they lead. */
final class Keys {

    private Keys() {}

    /** Another key of the same partition, so that one router task meets both in the order of their commits. */
    static String inPartitionOf(String key, int partitions) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "neighbour-" + i)
                .filter(other -> partition(other, partitions) == partition(key, partitions))
                .findFirst()
                .orElseThrow();
    }

    /** As every Kafka client in every language places it. */
    private static int partition(String key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % partitions;
    }
}
