package io.tailrace.router.flow;

import io.tailrace.contract.name.Topics;
import io.tailrace.router.decode.Decoder;
import io.tailrace.router.decode.Malformed;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outbound;
import io.tailrace.router.due.Agenda;
import io.tailrace.router.due.Due;
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.Change;
import io.tailrace.router.lane.Releaser;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * The router of one task: takes its records and its ticks, one at a time. What is due fires before a record is looked at, so that a
 * row that was waiting is never overtaken by one that has just come.
 *
 * <p>Flows plan, and this is the one place that does what they have planned: it sends, writes and settles. So a row at which something
 * is thrown can be given up as long as its plan is made ({@link GiveUp}), and from then on everything is done or nothing is.
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

    /**
     * Plans what is to be done about the records of one topic.
     *
     * @param plan looks at a record
     * @param park gives one up at which something unforeseen was thrown
     */
    private record Intake(Function<RawRecord, Deed> plan, Function<Malformed, Deed> park) {}

    private final Surroundings around;
    private final Outbound outbound;
    private final GiveUp giveUp;
    private final Map<String, Intake> intakes;
    private final Map<String, Releaser> releasers;
    private final CommandFlow commands;

    /** @param subscriptions those of events, and that of commands */
    public Router(
            Topics topics,
            Surroundings around,
            Outbound outbound,
            GiveUp giveUp,
            EventFlow events,
            CommandFlow commands,
            List<SubscriptionFlow> subscriptions) {
        this.around = around;
        this.outbound = outbound;
        this.giveUp = giveUp;
        this.commands = commands;
        Map<String, Intake> intake = new HashMap<>();
        intake.put(topics.rawEvents(), new Intake(events::arrived, events::parkOnArrival));
        intake.put(topics.rawCommands(), new Intake(commands::arrived, commands::park));
        intake.put(topics.retry(Topics.EVENTS), new Intake(events::returned, events::parkOnArrival));
        Map<String, Releaser> release = new HashMap<>();
        release.put(Topics.EVENTS, releaser(events));
        for (SubscriptionFlow each : subscriptions) {
            intake.put(topics.retry(each.name()), new Intake(each::answered, each::park));
            release.put(each.name(), releaser(each));
        }
        this.intakes = Map.copyOf(intake);
        this.releasers = Map.copyOf(release);
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
        Deed deed = giveUp.unless(
                () -> intake.plan().apply(record), bug -> intake.park().apply(Decoder.givenUp(record, bug)));
        perform(deed, budget);
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
        around.agenda()
                .fire(now, budget, due -> due.handle(wake -> wake(wake, now, budget), command -> due(command, budget)));
    }

    private void wake(Due.Wake wake, long now, Budget budget) {
        Releaser releaser = releasers.get(wake.lane().x());
        if (releaser == null) {
            // A subscription was taken out of the configuration over waiting rows: they wait until it is back.
            around.lanes().postpone(wake.lane(), wake.at(), now + MILLIS_UNTIL_BACK);
        } else {
            around.lanes().wake(wake.lane(), wake.at(), now, releaser, budget);
        }
    }

    private void due(Due.Command command, Budget budget) {
        perform(giveUp.unless(() -> commands.due(command), bug -> commands.giveUp(command, bug)), budget);
    }

    /** Rows of a lane are attempted while it is settled; what they leave on other lanes goes with a later tick. */
    private Releaser releaser(Attempts attempts) {
        return (lane, row) -> {
            Attempt attempt = giveUp.unless(() -> attempts.attempt(lane, row), bug -> attempts.giveUp(lane, row, bug));
            perform(attempt.deed(), Budget.NONE);
            return attempt.outcome();
        };
    }

    private void perform(Deed deed, Budget budget) {
        deed.records().forEach(outbound::send);
        Due due = deed.due();
        if (due != null) {
            around.agenda().add(due);
        }
        Change change = deed.change();
        if (change != null) {
            String x = change.key().x();
            around.lanes().settle(change, Objects.requireNonNull(releasers.get(x), x), budget);
        }
        deed.after().run();
    }

    private Budget budget(int rows, long millis) {
        return new Budget(rows, millis, around.clock()::millis);
    }
}
