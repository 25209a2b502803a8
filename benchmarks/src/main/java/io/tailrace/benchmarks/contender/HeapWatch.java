package io.tailrace.benchmarks.contender;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** How much heap is in use right after collections: what a user must give, whatever the collector chooses to let lie. */
final class HeapWatch {

    private static final double MIB = 1 << 20;

    private final Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    private final AtomicLong mostBytes = new AtomicLong();

    /** Watches from now on, to the end of the JVM. */
    HeapWatch() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener((notification, handback) -> collected(notification), null, null);
        }
    }

    void reset() {
        mostBytes.set(0);
    }

    double mostMiB() {
        long most = mostBytes.get();
        long bytes = most > 0
                ? most
                : ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return bytes / MIB;
    }

    private void collected(Notification notification) {
        if (!notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            return;
        }
        var after = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
                .getGcInfo()
                .getMemoryUsageAfterGc();
        long bytes = after.entrySet().stream()
                .filter(pool -> heapPools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
        mostBytes.accumulateAndGet(bytes, Math::max);
    }
}
