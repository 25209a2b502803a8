package io.tailrace.router.topology;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.flow.Router;
import java.time.Duration;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/** One task: hands records and ticks to its {@link Router}. */
final class RouterProcessor extends ContextualProcessor<byte[], byte[], byte[], Outgoing> {

    private static final Duration TICK = Duration.ofMillis(1);

    private final Assembly assembly;
    private @Nullable Router router;

    RouterProcessor(Assembly assembly) {
        this.assembly = assembly;
    }

    @Override
    public void init(ProcessorContext<byte[], Outgoing> context) {
        super.init(context);
        var lanes = store(RouterTopology.LANE_STORE);
        var parked = store(RouterTopology.PARKED_STORE);
        Router opened = assembly.router(
                new Stores.Lanes(lanes),
                new Stores.Parked(parked),
                new Stores.Due(store(RouterTopology.DUE_STORE)),
                this::forward);
        assembly.metrics().found(lanes.approximateNumEntries(), parked.approximateNumEntries());
        context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, now -> opened.tick());
        router = opened;
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        Router opened = router;
        RecordMetadata from = context().recordMetadata().orElse(null);
        if (opened == null || from == null) {
            throw new IllegalStateException("only sources feed the router, and only once it is open");
        }
        opened.take(new RawRecord(
                from.topic(),
                from.partition(),
                from.offset(),
                bytes(record.key()),
                bytes(record.value()),
                KafkaHeaders.from(record.headers())));
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
