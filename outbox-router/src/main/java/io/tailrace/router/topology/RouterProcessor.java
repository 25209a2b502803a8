package io.tailrace.router.topology;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.flow.Router;
import io.tailrace.router.observe.TaskLanes;
import io.tailrace.router.store.LaneCodec;
import java.time.Duration;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * One task: hands records and ticks to its {@link Router}.
 *
 * <p>The tick is an alarm, set for the next instant at which something is due, and not a beat: after every punctuator that has fired
 * Kafka Streams commits, be there anything to commit or not, so a beat would cost an idle router fifty transactions a second.
 */
final class RouterProcessor extends ContextualProcessor<byte[], byte[], byte[], Outgoing> {

    /** Backlog that is due already goes on in the next round of the thread. */
    private static final long SHORTEST_ALARM_MILLIS = 1;

    /** Whatever the clock does meanwhile, it is looked at again. */
    private static final long LONGEST_ALARM_MILLIS = 60_000;

    /** Some tens of bytes each: milliseconds. */
    private static final int MOST_LANES_READ = 10_000;

    private static final Cancellable NOT_SET = () -> {};

    private final Assembly assembly;
    private @Nullable Router router;
    private @Nullable TaskLanes counts;
    private Cancellable alarm = NOT_SET;
    private long alarmSetFor = Router.NOTHING_DUE;

    RouterProcessor(Assembly assembly) {
        this.assembly = assembly;
    }

    @Override
    public void init(ProcessorContext<byte[], Outgoing> context) {
        super.init(context);
        var lanes = store(RouterTopology.LANE_STORE);
        var parked = store(RouterTopology.PARKED_STORE);
        var due = store(RouterTopology.DUE_STORE);
        TaskLanes counted = assembly.metrics().opened();
        count(counted, lanes, parked);
        Router opened = assembly.router(
                new TaskStores.Lanes(lanes),
                new TaskStores.Parked(parked),
                new TaskStores.Due(due),
                new TaskStores.Past(store(RouterTopology.PAST_STORE)),
                this::forward,
                counted);
        router = opened;
        counts = counted;
        setAlarm(opened);
    }

    @Override
    public void close() {
        TaskLanes counted = counts;
        if (counted != null) {
            assembly.metrics().closed(counted);
        }
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        Router opened = router;
        RecordMetadata from = context().recordMetadata().orElse(null);
        if (opened == null || from == null) {
            throw new IllegalStateException("only sources feed the router, and only once it is open");
        }
        opened.take(assembly.rules()
                .door()
                .admit(new RawRecord(
                        from.topic(),
                        from.partition(),
                        from.offset(),
                        bytes(record.key()),
                        bytes(record.value()),
                        KafkaHeaders.from(record.headers()))));
        setAlarm(opened);
    }

    /** Exact up to a number of lanes that a start can afford to read. */
    private static void count(
            TaskLanes counted,
            KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> lanes,
            KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> parked) {
        try (var found = lanes.all()) {
            for (int read = 0; found.hasNext(); read++) {
                if (read == MOST_LANES_READ) {
                    counted.foundMore(lanes.approximateNumEntries(), parked.approximateNumEntries());
                    return;
                }
                counted.found(LaneCodec.lane(Bytes.of(found.next().value)));
            }
        }
    }

    private void ring(Router opened) {
        // It has gone off: as a punctuator it would do so again and again.
        alarm.cancel();
        alarmSetFor = Router.NOTHING_DUE;
        opened.tick();
        setAlarm(opened);
    }

    private void setAlarm(Router opened) {
        long next = opened.nextDue();
        if (next == alarmSetFor) {
            return;
        }
        alarm.cancel();
        alarmSetFor = next;
        alarm = next == Router.NOTHING_DUE ? NOT_SET : schedule(opened, next);
    }

    private Cancellable schedule(Router opened, long next) {
        long now = assembly.clock().millis();
        long wait = next <= now ? SHORTEST_ALARM_MILLIS : Math.min(next - now, LONGEST_ALARM_MILLIS);
        return context().schedule(Duration.ofMillis(wait), PunctuationType.WALL_CLOCK_TIME, instant -> ring(opened));
    }

    /** With the present instant: retention counts from when a row was routed, not from when it began to wait. */
    private void forward(Outgoing outgoing) {
        Bytes key = outgoing.key();
        context()
                .forward(new Record<>(
                        key == null ? null : key.array(),
                        outgoing,
                        assembly.clock().millis(),
                        KafkaHeaders.to(outgoing.headers())));
    }

    private KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> store(String name) {
        return context().getStateStore(name);
    }

    private static @Nullable Bytes bytes(byte @Nullable [] array) {
        return array == null ? null : Bytes.of(array);
    }
}
