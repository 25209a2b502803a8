package io.tailrace.router.flow;

import io.tailrace.contract.name.Topics;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.due.Agenda;
import io.tailrace.router.due.Due;
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.Releaser;
import java.util.Map;

/**
 * The router of one task: takes its records and its ticks, one at a time. What is due fires before a record is looked at, so that a
 * row that was waiting is never overtaken by one that has just come.
 */
public final class Router {

    /** Of {@link #nextDue()}: nothing waits for an instant. */
    public static final long NOTHING_DUE = Agenda.NOTHING_DUE;

    /** What a record may set going before the next is read: a fraction of a tick. */
    private static final int ROWS_PER_RECORD = 128;

    private static final long MILLIS_PER_RECORD = 5;

    /** A tick shares the thread with polls and with a commit every 20 ms. */
    private static final int ROWS_PER_TICK = 1_024;

    private static final long MILLIS_PER_TICK = 15;

    private static final long MILLIS_UNTIL_BACK = 60_000;

    /** Takes the records of one topic. */
    @FunctionalInterface
    interface Intake {
        void take(RawRecord record, Budget budget);
    }

    private final Surroundings around;
    private final Map<String, Intake> intakes;
    private final Map<String, Releaser> releasers;
    private final CommandFlow commands;

    public Router(
            Topics topics, Surroundings around, EventFlow events, CommandFlow commands, SubscriptionFlow ofCommands) {
        this.around = around;
        this.commands = commands;
        this.intakes = Map.of(
                topics.rawEvents(), events::arrived,
                topics.rawCommands(), commands::arrived,
                topics.retry(Topics.EVENTS), events::returned,
                topics.retry(Topics.COMMANDS), ofCommands::answered);
        this.releasers = Map.of(Topics.EVENTS, events, Topics.COMMANDS, ofCommands);
    }

    /** A record was read. */
    public void take(RawRecord record) {
        Intake intake = intakes.get(record.topic());
        if (intake == null) {
            throw new IllegalStateException(
                    "topic %s is read, but no flow takes it; the topology and the flows disagree"
                            .formatted(record.topic()));
        }
        Budget budget = budget(ROWS_PER_RECORD, MILLIS_PER_RECORD);
        fire(budget);
        intake.take(record, budget);
    }

    /** When the next tick is wanted, in milliseconds since the epoch; {@link #NOTHING_DUE} when none is. */
    public long nextDue() {
        return around.agenda().nextAt();
    }

    /** Fires what is due, as far as the budget of a tick goes. */
    public void tick() {
        if (around.agenda().isDue(around.clock().millis())) {
            fire(budget(ROWS_PER_TICK, MILLIS_PER_TICK));
        }
    }

    private void fire(Budget budget) {
        long now = around.clock().millis();
        around.agenda().fire(now, budget, due -> due.match(wake -> wake(wake, now, budget), this::route));
    }

    private boolean wake(Due.Wake wake, long now, Budget budget) {
        Releaser releaser = releasers.get(wake.lane().x());
        if (releaser == null) {
            // A subscription was taken out of the configuration over waiting rows: they wait until it is back.
            around.lanes().postpone(wake.lane(), wake.at(), now + MILLIS_UNTIL_BACK);
        } else {
            around.lanes().wake(wake.lane(), wake.at(), now, releaser, budget);
        }
        return true;
    }

    private boolean route(Due.Command command) {
        commands.due(command);
        return true;
    }

    private Budget budget(int rows, long millis) {
        return new Budget(rows, millis, around.clock()::millis);
    }
}
