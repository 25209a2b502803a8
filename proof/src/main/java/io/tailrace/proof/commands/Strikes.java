package io.tailrace.proof.commands;

import io.tailrace.proof.Deck;
import io.tailrace.proof.ProofStuck;
import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Halts;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Strikes an executor, each time at one point, while commands flow. Not thread-safe. */
final class Strikes {

    private static final int LONGEST_PAUSE_MS = 600;
    private static final int MOST_PASSAGES = 3;

    /** Scheduled around each strike. */
    private static final int ROWS_EACH = 250;

    private static final int TRICKLE_ROWS = 40;
    private static final Duration TRICKLE_PAUSE = Duration.ofMillis(200);

    /** With so many due and not done nothing is added: a busy machine is to come to an end. */
    private static final int MOST_WAITING = 400;

    /** Who sleeps so long has lost its partitions, its sessions, and the time of its handlers. */
    private static final Duration ASLEEP = ExecutorSite.LEASE.plusMillis(1_500);

    private final Executors executors;
    private final Load load;
    private final Ledger ledger;
    private final CommandsSettings settings;
    private final Random random;
    private final Deck<CommandsKillPoint> deck;
    private final Map<String, Integer> sleptOver = new HashMap<>();

    Strikes(Executors executors, Load load, Ledger ledger, CommandsSettings settings) {
        this.executors = executors;
        this.load = load;
        this.ledger = ledger;
        this.settings = settings;
        this.random = new Random(settings.seed());
        this.deck = Deck.of(EnumSet.allOf(CommandsKillPoint.class), random);
    }

    /** Strikes once; returns when both run again, and says where the executor was. */
    CommandsKillPoint strike() throws SQLException {
        CommandsKillPoint point = deck.draw();
        load.allow(ROWS_EACH);
        int victim = random.nextInt(executors.size());
        if (point.step().isPresent()) {
            bring(executors.get(victim), point.step().get());
            pause(random.nextInt(80));
            killed(victim);
        } else if (point == CommandsKillPoint.STOPPED) {
            stopped(executors.get(victim));
        } else if (point == CommandsKillPoint.SESSIONS_ENDED) {
            sessionsEnded(executors.get(victim));
        } else {
            pause(random.nextInt(LONGEST_PAUSE_MS));
            if (random.nextInt(3) == 0) {
                killed(1 - victim);
            }
            killed(victim);
        }
        executors.requireRunning();
        return point;
    }

    /** How often which command was in the hands of an executor that slept: it may have used an attempt, its time was over. */
    Map<String, Integer> sleptOver() {
        return Map.copyOf(sleptOver);
    }

    /** Makes it stand still there while commands flow. */
    private void bring(ExecutorChild victim, Halts.Step step) throws SQLException {
        victim.stopAt(step, 1 + random.nextInt(MOST_PASSAGES));
        long deadline = System.nanoTime() + settings.patience().toNanos();
        while (!victim.standsAt(step, TRICKLE_PAUSE)) {
            if (System.nanoTime() - deadline > 0) {
                throw new ProofStuck("no executor has come to %s within %d s"
                        .formatted(step, settings.patience().toSeconds()));
            }
            load.requireHealthy();
            if (load.isUsedUp() && ledger.pending() < MOST_WAITING) {
                load.allow(TRICKLE_ROWS);
            }
        }
    }

    private void killed(int victim) {
        executors.kill(victim);
        executors.startAgain(victim);
    }

    /** It wakes up in the middle of a handler whose transaction is gone and whose row another one has done. */
    private void stopped(ExecutorChild victim) throws SQLException {
        bring(victim, Halts.Step.IN_HANDLER);
        victim.pause();
        Set<String> inHand = ledger.inHand();
        pause(ASLEEP.toMillis());
        victim.resume();
        victim.goOn();
        inHand.forEach(id -> sleptOver.merge(id, 1, Integer::sum));
    }

    private void sessionsEnded(ExecutorChild victim) throws SQLException {
        bring(victim, Halts.Step.IN_HANDLER);
        ledger.endSessions();
        victim.goOn();
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
