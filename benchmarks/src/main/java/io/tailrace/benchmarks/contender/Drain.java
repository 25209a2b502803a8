package io.tailrace.benchmarks.contender;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets a pipeline deliver all that waits in its slot, and measures. The clock starts at the first rows that are delivered, so that
 * connecting and finding the place to begin does not count, and little can have been read ahead by then.
 */
final class Drain {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Longer than any start or stop of the world; a pipeline that delivers nothing for so long has failed. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final Pipeline pipeline;
    private final HeapWatch heap;
    private final long postmaster;

    Drain(Pipeline pipeline, HeapWatch heap, long postmaster) {
        this.pipeline = pipeline;
        this.heap = heap;
        this.postmaster = postmaster;
    }

    /** Starts the pipeline and returns when it has delivered {@code total} rows. */
    Measured run(long total) {
        long started = System.nanoTime();
        heap.reset();
        pipeline.start();
        long first = await(1);
        long began = System.nanoTime();
        DrainEvent event = new DrainEvent();
        event.begin();
        CpuTimes before = CpuTimes.now(postmaster);
        long last = first < total ? await(total) : first;
        long nanos = System.nanoTime() - began;
        CpuTimes after = CpuTimes.now(postmaster);
        event.end();
        if (last > total) {
            throw new IllegalStateException("delivered %d rows of %d".formatted(last, total));
        }
        // Everything at once is no measurement; the harness sees the absence of rows.
        long rows = last - first;
        Measured measured = new Measured(
                rows,
                nanos / 1e9,
                (began - started) / 1e9,
                after.microsPerRow(before, Math.max(1, rows)),
                heap.mostMiB(),
                after.gcMillis() - before.gcMillis(),
                after.microsPerRowByThread(before, Math.max(1, rows)),
                after.microsPerRowByNeighbour(before, Math.max(1, rows)));
        event.measured = measured.json();
        event.commit();
        return measured;
    }

    /** What so many rows took since a moment, for whoever does not drain. */
    static Measured measured(long rows, long began, CpuTimes before, long postmaster, HeapWatch heap) {
        CpuTimes after = CpuTimes.now(postmaster);
        long each = Math.max(1, rows);
        return new Measured(
                rows,
                (System.nanoTime() - began) / 1e9,
                0,
                after.microsPerRow(before, each),
                heap.mostMiB(),
                after.gcMillis() - before.gcMillis(),
                after.microsPerRowByThread(before, each),
                after.microsPerRowByNeighbour(before, each));
    }

    private long await(long rows) {
        long seen = 0;
        long moved = System.nanoTime();
        while (true) {
            long now = pipeline.delivered();
            if (now >= rows) {
                return now;
            }
            if (now > seen) {
                seen = now;
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > PATIENCE_NANOS) {
                throw new IllegalStateException("stands still at %d of %d rows".formatted(now, rows));
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
