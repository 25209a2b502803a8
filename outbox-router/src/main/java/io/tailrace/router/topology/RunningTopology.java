package io.tailrace.router.topology;

import io.tailrace.contract.Health.State;
import io.tailrace.contract.config.TailraceConfig;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.KafkaStreams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The topology at work: its threads, from the start to the end, through outages. */
public final class RunningTopology implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RunningTopology.class);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(8);

    private final KafkaStreams streams;
    private final Outages outages;
    private final BiConsumer<State, String> state;

    /**
     * Starts it.
     *
     * @param membership of the group, which dead threads leave
     * @param wouldStart throws {@link io.tailrace.contract.StartRefused} if a start would be refused now
     * @param gate closes the intake during outages
     * @param state hears what the topology is doing, from its threads
     */
    public RunningTopology(
            Assembly assembly,
            TailraceConfig config,
            IntakeGate gate,
            Membership membership,
            Runnable wouldStart,
            BiConsumer<State, String> state) {
        this.state = state;
        this.outages = new Outages(wouldStart, membership::leave, state);
        this.streams = new KafkaStreams(RouterTopology.of(assembly), StreamsSettings.of(config));
        streams.setUncaughtExceptionHandler(outages);
        streams.setStateListener((now, before) -> changed(now));
        gate.attach(streams);
        streams.start();
    }

    /** Ends every wait, then the threads; what is in an open transaction begins anew elsewhere. */
    @Override
    public void close() {
        outages.close();
        if (!streams.close(STOP_TIMEOUT)) {
            LOG.warn(
                    "Router did not stop within {} s; its open transaction ends by its timeout",
                    STOP_TIMEOUT.toSeconds());
        }
    }

    private void changed(KafkaStreams.State now) {
        switch (now) {
            case RUNNING -> {
                outages.over();
                state.accept(State.READY, "");
            }
            case REBALANCING -> state.accept(State.STARTING, "partitions are shared out and stores restored");
            case ERROR -> state.accept(State.FAILED, "every thread has ended");
            default -> LOG.debug("Kafka Streams is {}", now);
        }
    }
}
