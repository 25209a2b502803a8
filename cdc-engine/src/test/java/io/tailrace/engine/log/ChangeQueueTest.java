package io.tailrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread that puts and one that takes. */
@Timeout(20)
class ChangeQueueTest {

    /** Whoever counts on it to pass is stuck. */
    private static final Duration FOR_EVER = Duration.ofDays(1);

    private static final Duration AT_ONCE = Duration.ZERO;

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    @Test
    void everyChangeComesOnceAndInOrderHoweverTheThreadsMeet() throws Exception {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            int batch = 1 + random.nextInt(8);
            int room = batch + random.nextInt(4);
            int changes = 50 * batch;
            ChangeQueue queue = new ChangeQueue(room, 0, batch, FOR_EVER);
            FutureTask<Void> putting = start(() -> put(queue, 0, changes));
            List<Change> taken = new ArrayList<>();
            while (taken.size() < changes) {
                List<Change> next = queue.take();
                assertThat(next).as("round %d: nobody waits for less", round).hasSize(batch);
                taken.addAll(next);
            }
            putting.get();
            assertThat(numbers(taken)).isEqualTo(numbers(0, changes));
        }
    }

    @Test
    void aFullQueueIsABatchHoweverFewTheyAre() throws Exception {
        ChangeQueue few = new ChangeQueue(3, 0, 100, FOR_EVER);
        FutureTask<List<Change>> taking = start(few::take);
        put(few, 0, 3);
        assertThat(numbers(taking.get())).isEqualTo(numbers(0, 3));

        ChangeQueue large = new ChangeQueue(NO_LIMIT, 2L * change(0).bytes(), 100, FOR_EVER);
        FutureTask<List<Change>> takingLarge = start(large::take);
        put(large, 0, 2);
        assertThat(numbers(takingLarge.get())).isEqualTo(numbers(0, 2));
    }

    @Test
    void oneThatIsLargerThanTheQueueGoesThroughAlone() throws Exception {
        ChangeQueue queue = new ChangeQueue(NO_LIMIT, 1, 100, FOR_EVER);
        FutureTask<Void> putting = start(() -> put(queue, 0, 3));
        for (int i = 0; i < 3; i++) {
            assertThat(numbers(queue.take())).isEqualTo(List.of((long) i));
        }
        putting.get();
    }

    @Test
    void whatHasComeIsTakenWhenTheTimeIsOver() throws Exception {
        ChangeQueue queue = new ChangeQueue(NO_LIMIT, 0, 4, AT_ONCE);
        assertThat(queue.take()).isEmpty();
        put(queue, 0, 6);
        assertThat(numbers(queue.take())).isEqualTo(numbers(0, 4));
        assertThat(numbers(queue.take())).isEqualTo(numbers(4, 6));
        assertThat(queue.take()).isEmpty();
    }

    @Test
    void whatHasWaitedLongEnoughIsTakenAtOnce() throws Exception {
        AtomicLong now = new AtomicLong();
        ChangeQueue queue = new ChangeQueue(NO_LIMIT, 0, 4, FOR_EVER, now::get);
        now.addAndGet(FOR_EVER.toNanos());
        put(queue, 0, 1);
        now.addAndGet(FOR_EVER.toNanos());
        put(queue, 1, 2);
        assertThat(numbers(queue.take())).isEqualTo(numbers(0, 2));
    }

    @Test
    void whoeverPutsWaitsForRoom() throws Exception {
        ChangeQueue queue = new ChangeQueue(3, 0, 2, AT_ONCE);
        put(queue, 0, 3);
        FutureTask<Void> putting = new FutureTask<>(() -> put(queue, 3, 4));
        awaitWaiting(new Thread(putting));
        assertThat(numbers(queue.take())).isEqualTo(numbers(0, 2));
        putting.get();
        assertThat(numbers(queue.take())).isEqualTo(numbers(2, 4));
    }

    @Test
    void aQueueThatIsClosedLetsGoWhoeverWaitsAndTakesNothingMore() throws Exception {
        ChangeQueue queue = new ChangeQueue(1, 0, 1, AT_ONCE);
        put(queue, 0, 1);
        FutureTask<Void> putting = new FutureTask<>(() -> put(queue, 1, 2));
        awaitWaiting(new Thread(putting));
        queue.close();
        assertThatThrownBy(putting::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(numbers(queue.take())).isEqualTo(numbers(0, 1));
        assertThatThrownBy(() -> put(queue, 2, 3)).isInstanceOf(InterruptedException.class);
        assertThat(queue.take()).isEmpty();
    }

    private static void awaitWaiting(Thread thread) {
        thread.setDaemon(true);
        thread.start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(System.nanoTime()).as("it does not wait").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future);
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    private static Void put(ChangeQueue queue, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            queue.put(change(i));
        }
        return null;
    }

    private static Change change(long number) {
        return Change.message(new LogPoint(0, 0, number, 0), "prefix", new byte[0]);
    }

    private static List<Long> numbers(List<Change> changes) {
        return changes.stream().map(change -> change.at().lsn()).toList();
    }

    private static List<Long> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(number -> (long) number).toList();
    }
}
