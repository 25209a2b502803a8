package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ChildJvmTest {

    private static final Duration AT_MOST = Duration.ofSeconds(20);

    /** Says what it was given, answers SIGTERM with exit code 7, and counts until it is ended. */
    public static final class Counter {
        public static void main(String[] arguments) throws Exception {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(7)));
            System.out.println("ready " + arguments[0] + " " + System.getProperty("colour") + " "
                    + Runtime.getRuntime().maxMemory() / (1 << 20));
            for (int n = 0; ; n++) {
                System.out.println("count " + n);
                Thread.sleep(5);
            }
        }
    }

    @Test
    void runsOnTheClassPathOfTheTestWithWhatItIsGiven() {
        try (ChildJvm child = ChildJvm.of(Counter.class)
                .heap("64m")
                .property("colour", "green")
                .arguments("first")
                .start()) {
            assertThat(child.awaitLine("ready", AT_MOST)).startsWith("ready first green 6");
            child.terminate();
            assertThat(child.awaitExit(AT_MOST)).isEqualTo(7);
        }
    }

    @Test
    void aKillGivesItNoChance() {
        ChildJvm child = ChildJvm.of(Counter.class).arguments("x").start();
        child.awaitLine("count", AT_MOST);
        child.kill();
        assertThat(child.isAlive()).isFalse();
        assertThat(child.awaitExit(AT_MOST)).isEqualTo(128 + 9);
        assertThatThrownBy(() -> child.awaitLine("never", AT_MOST))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("ended without a line with \"never\"")
                .hasMessageContaining("count 0");
    }

    @Test
    void aPausedOneDoesNothingAndThenGoesOn() throws Exception {
        try (ChildJvm child = ChildJvm.of(Counter.class).arguments("x").start()) {
            child.awaitLine("count 3", AT_MOST);
            child.pause();
            Awaitility.await().atMost(AT_MOST).until(() -> state(child).equals("T"));
            int before = child.output().size();
            child.resume();
            child.awaitLine("count " + (before + 5), AT_MOST);
            child.pause();
        }
    }

    private static String state(ChildJvm child) throws Exception {
        Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", Long.toString(child.pid())).start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .strip()
                .substring(0, 1);
    }
}
