package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One that has given up is started anew, and the others see nothing of it. */
class PartPerSourceTest {

    private static final Duration SOON = Duration.ofMillis(20);

    private final Bench fine = new Bench();
    private final Bench ailing = new Bench();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void leave() {
        logger().detachAppender(log);
    }

    @Test
    void oneThatIsRefusedIsStartedAgainUntilItIsMendedAndSaysOnceWhatIsWrong() {
        ailing.refusal = "slot is gone, the log ends at 0/1A2B now";
        try (Part parts = parts()) {
            parts.start();
            awaitMore(ailing, 3);
            ailing.refusal = "slot is gone, the log ends at 0/FF00 now";
            awaitMore(ailing, 3);
            assertThat(said()).containsExactly(refused("slot is gone, the log ends at 0/1A2B now"));
            assertThat(parts.health().state()).isEqualTo(State.WAITING);
            assertThat(parts.health().detail()).startsWith("source ailing is failed refused: slot is gone");

            ailing.refusal = "the publication is gone";
            awaitMore(ailing, 3);
            ailing.refusal = null;
            await().until(() -> parts.health().isReady());
            assertThat(said())
                    .containsExactly(
                            refused("slot is gone, the log ends at 0/1A2B now"),
                            refused("the publication is gone"),
                            "The engine of source ailing is not refused any more");
            assertThat(fine.made).as("those of the other").hasSize(1);
            assertThat(ailing.made.subList(0, ailing.made.size() - 1))
                    .as("those that were refused")
                    .allMatch(part -> part.isClosed);
        }
        assertThat(fine.made).allMatch(part -> part.isClosed);
        assertThat(ailing.made).allMatch(part -> part.isClosed);
    }

    @Test
    void oneThatGivesUpLaterIsStartedAgainToo() {
        try (Part parts = parts()) {
            parts.start();
            ailing.made.get(0).health = new Health(State.FAILED, "it has said so");
            await().until(() -> ailing.made.size() > 1 && parts.health().isReady());
            assertThat(said()).containsExactly("The engine of source ailing is not refused any more");
            ailing.made.get(1).health = new Health(State.WAITING, "for the database");
            await().until(() -> parts.health().detail().contains("ailing is waiting"));
            int made = ailing.made.size();
            ailing.made.get(1).health = new Health(State.READY, "");
            await().until(() -> parts.health().isReady());
            assertThat(ailing.made).as("one that waits is left alone").hasSize(made);
        }
    }

    @Test
    void oneThatCannotEvenBeMadeIsTriedAgain() {
        ailing.refusal = "mend me";
        try (Part parts = parts()) {
            parts.start();
            ailing.isUnmakeable = true;
            await().until(() -> parts.health().detail().contains("no such file"));
            ailing.isUnmakeable = false;
            ailing.refusal = null;
            await().until(() -> parts.health().isReady());
            assertThat(said())
                    .containsExactly(
                            refused("mend me"),
                            "The engine of source ailing has a bug, the others go on",
                            "The engine of source ailing is not refused any more");
        }
    }

    @Test
    void aStartThatHangsHoldsUpNoStop() {
        ailing.refusal = "mend me";
        Part parts = parts();
        parts.start();
        ailing.hangs = true;
        ailing.refusal = null;
        await().until(() -> ailing.made.stream().anyMatch(part -> part.isHanging));
        parts.close();
        assertThat(ailing.made).allMatch(part -> part.isClosed);
        assertThat(parts.health().state()).isEqualTo(State.STOPPED);
    }

    @Test
    void whenNoneWouldStartNoneIsStartedAgain() {
        ailing.refusal = "mend me";
        fine.refusal = "and me";
        Part parts = parts();
        assertThatThrownBy(parts::start)
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("source fine: and me")
                .hasMessageContaining("source ailing: mend me");
        assertThat(parts.health().state()).isEqualTo(State.FAILED);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("tailrace-engine-again");
        parts.close();
    }

    private static String refused(String text) {
        return "The engine of source ailing is refused, the others go on; it is tried again every 0 s: " + text;
    }

    private static void awaitMore(Bench bench, int starts) {
        int wanted = bench.made.size() + starts;
        await().until(() -> bench.made.size() >= wanted);
    }

    private List<String> said() {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private Part parts() {
        TailraceConfig config = ConfigOption.read("of the test", """
                namespace: app
                sources:
                  - {database: fine, user: u}
                  - {database: ailing, user: u}
                kafka: {bootstrap-servers: "nowhere:9092"}
                """);
        return PartPerSource.of(config, one -> (one.source().name().equals("fine") ? fine : ailing).make(), SOON);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(SourcePart.class);
    }

    /** Makes the parts of one source. */
    private static final class Bench {

        private final List<Worked> made = new CopyOnWriteArrayList<>();
        private volatile @Nullable String refusal;
        private volatile boolean hangs;
        private volatile boolean isUnmakeable;

        Part make() {
            if (isUnmakeable) {
                throw new IllegalStateException("no such file");
            }
            Worked part = new Worked(this);
            made.add(part);
            return part;
        }
    }

    private static final class Worked implements Part {

        private final Bench bench;
        private final CountDownLatch closing = new CountDownLatch(1);
        private volatile Health health = new Health(State.NEW, "");
        private volatile boolean isClosed;
        private volatile boolean isHanging;

        Worked(Bench bench) {
            this.bench = bench;
        }

        @Override
        public String name() {
            return "engine";
        }

        @Override
        public void start() {
            String refusal = bench.refusal;
            if (refusal != null) {
                throw new StartRefused(refusal);
            }
            if (bench.hangs) {
                isHanging = true;
                try {
                    closing.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return;
            }
            health = Health.ready();
        }

        @Override
        public Health health() {
            return health;
        }

        @Override
        public void close() {
            isClosed = true;
            health = new Health(State.STOPPED, "");
            closing.countDown();
        }
    }
}
