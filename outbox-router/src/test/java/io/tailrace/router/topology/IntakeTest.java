package io.tailrace.router.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.router.deadletter.LetterForm;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.decide.Routes;
import io.tailrace.router.decode.Door;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outgoing;
import io.tailrace.router.flow.Router;
import io.tailrace.router.lane.LaneLimits;
import io.tailrace.router.lane.LaneWatcher;
import io.tailrace.router.lane.UnusableState;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.redact.Redaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Something is thrown while a record is looked at, whichever topic it came from. */
class IntakeTest {

    private final Topics topics = new Topics(new Namespace("shop"));
    private final List<Outgoing> sent = new ArrayList<>();

    private @Nullable RuntimeException thrownByAPlan;
    private @Nullable RuntimeException thrownBySending;

    @ParameterizedTest
    @CsvSource({
        "shop.raw.events, event, shop.events.dlq, dead, a",
        "shop.events.retry, replay, shop.events.dlq, dead, a",
        "shop.events.retry, control, shop.events.dlq, dead, shop.events.retry-0@7",
        "shop.raw.commands, command, shop.commands, bury, k",
        "shop.raw.commands, control, shop.commands.dlq, dead, shop.raw.commands-0@7",
        "shop.commands.retry, failed, shop.commands.dlq, dead, shop.commands.retry-0@7",
        "shop.commands.retry, dead, shop.commands.dlq, dead, a",
    })
    void aBugInAPlanIsTheEndOfItsRecordAndOfNothingElse(
            String topic, String kind, String parkedIn, String as, String under) {
        Router router = router();
        thrownByAPlan = new IllegalStateException("a bug");
        router.take(record(topic, kind, "a"));
        assertThat(sent).hasSize(1);
        Outgoing parked = sent.get(0);
        assertThat(parked.topic()).isEqualTo(parkedIn);
        assertThat(parked.key()).isEqualTo(Bytes.utf8(under));
        assertThat(parked.headers().text(HeaderName.KIND)).contains(as);
        assertThat(parked.headers().text(HeaderName.REASON)).contains("timer-error");
        assertThat(parked.headers().text(HeaderName.ERROR_MESSAGE)).contains("a bug");
        assertThat(parked.headers().text(HeaderName.CE_ID)).contains("a");

        // Its lane, if it has one, is whole, and its answer is taken.
        router.take(record("shop.commands.retry", "done", "a"));
        router.take(record("shop.raw.events", "event", "b"));
        assertThat(sent.get(1).topic()).isEqualTo("shop.events.sales");
    }

    @ParameterizedTest
    @CsvSource({
        "shop.raw.events, event",
        "shop.events.retry, replay",
        "shop.raw.commands, command",
        "shop.commands.retry, failed"
    })
    void anOutageAndStoresThatAreOfNoUseStopTheTask(String topic, String kind) {
        for (RuntimeException systemic : List.of(new TimeoutException("away"), new UnusableState("torn"))) {
            Router router = router();
            thrownByAPlan = systemic;
            assertThatThrownBy(() -> router.take(record(topic, kind, "a"))).isSameAs(systemic);
            assertThat(sent).isEmpty();
        }
    }

    /** What has begun is not given up: the half that was done would be committed with the dead letter. */
    @ParameterizedTest
    @CsvSource({
        "shop.raw.events, event",
        "shop.events.retry, replay",
        "shop.raw.commands, command",
        "shop.raw.commands, control",
        "shop.commands.retry, failed",
        "shop.commands.retry, dead",
    })
    void whatIsThrownWhenAPlanIsCarriedOutStopsTheTaskWhateverItIs(String topic, String kind) {
        Router router = router();
        RuntimeException bug = new IllegalStateException("a bug");
        thrownBySending = bug;
        assertThatThrownBy(() -> router.take(record(topic, kind, "a"))).isSameAs(bug);
        assertThat(sent).isEmpty();
    }

    /** Who looks after a key does not care whether its row was bad or we were: nothing may be delivered behind it. */
    @Test
    void aBugAtTheArrivalOfARowStopsAKeyThatStopsAtItsDeadLetters() {
        RoutesConfig.Rule ledger =
                new RoutesConfig.Rule("sales.*", "shop.events.sales", false).with(OnDeadLetter.HALT_KEY);
        Router router = router(new RoutesConfig(RoutesConfig.Default.NONE, List.of(ledger)));
        thrownByAPlan = new IllegalStateException("a bug");
        router.take(record("shop.raw.events", "event", "a", 7));
        router.take(record("shop.raw.events", "event", "b", 8));
        assertThat(sent).extracting(Outgoing::topic).containsExactly("shop.events.dlq");

        RawRecord replay = record("shop.events.retry", "replay", "a", 1);
        thrownByAPlan = new IllegalStateException("a bug");
        router.take(replay);
        assertThat(sent).extracting(Outgoing::topic).containsExactly("shop.events.dlq", "shop.events.dlq");
        router.take(replay);
        assertThat(sent.subList(2, 4))
                .extracting(out -> out.headers().text(HeaderName.CE_ID).orElse(""))
                .containsExactly("a", "b");
    }

    private Router router() {
        return router(new RoutesConfig(RoutesConfig.Default.CONTEXT, List.of()));
    }

    private Router router(RoutesConfig routes) {
        RetryPolicy retry = new RetryPolicy(Duration.ofSeconds(10), Duration.ofSeconds(300), 5);
        Routes compiled = Routes.compile(routes, retry, topics, List.of(), new ArrayList<>());
        Decider decider = new Decider(() -> compiled, topic -> Destination.writable(1 << 20));
        return new Assembly(
                        topics,
                        List.of(),
                        decider,
                        new RowRules(
                                new Door(Rig.MAX_BYTES),
                                LaneLimits.DEFAULT,
                                new Redaction(Secrets.NONE, topics, Rig.MAX_BYTES, true),
                                new LetterForm(2 << 20, false)),
                        new RouterMetrics(new SimpleMeterRegistry()),
                        this::now)
                .router(
                        new TaskStores.Lanes(store()),
                        new TaskStores.Parked(store()),
                        new TaskStores.Due(store()),
                        new TaskStores.Past(store()),
                        this::send,
                        LaneWatcher.NONE);
    }

    private void send(Outgoing record) {
        RuntimeException thrown = thrownBySending;
        thrownBySending = null;
        if (thrown != null) {
            throw thrown;
        }
        sent.add(record);
    }

    /** Throws once, when a flow asks for the time; and each asks while it plans. */
    private Instant now() {
        boolean isPlan = StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("Flow")
                        || frame.getClassName().endsWith("HaltedHeads")));
        RuntimeException thrown = thrownByAPlan;
        if (thrown != null && isPlan) {
            thrownByAPlan = null;
            throw thrown;
        }
        return Rig.START;
    }

    private static RawRecord record(String topic, String kind, String id) {
        return record(topic, kind, id, 7);
    }

    private static RawRecord record(String topic, String kind, String id, long offset) {
        Headers headers = Rig.raw(id, "sales.order", "k", Kind.of(kind).orElseThrow()).toBuilder()
                .put(HeaderName.SEQ, topic.contains(".raw.") ? "1" : "1:7")
                .put(HeaderName.NOT_BEFORE, 0)
                .put(HeaderName.WAIT, 0)
                .put(HeaderName.TURN, 1)
                .put(HeaderName.PLACE, "1:7")
                .put(HeaderName.CONTROL, "run-now")
                .build();
        return new RawRecord(topic, 0, offset, Bytes.utf8("k"), Bytes.utf8("payload"), headers);
    }

    private static KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> store() {
        return Stores.inMemoryKeyValueStore("store").get();
    }
}
