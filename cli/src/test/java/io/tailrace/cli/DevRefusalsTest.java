package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.cli.CommandLines.Ran;
import io.tailrace.testkit.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevRefusalsTest {

    @TempDir
    Path data;

    @Test
    void aPortInUseIsNamedWithItsKeyAndItsFile() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Ran ran = dev(taken.getLocalPort());
            assertThat(ran.exit()).isEqualTo(Exit.FAILED);
            assertThat(ran.err())
                    .contains("Port " + taken.getLocalPort() + " for Kafka is in use")
                    .contains("It is kafka.bootstrap-servers in ", "tailrace.yml")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void aPortThatNoVerbCouldFindAgainIsRefused() throws IOException {
        Ran ran = dev(0);
        assertThat(ran.exit()).isEqualTo(Exit.REFUSED);
        assertThat(ran.err()).contains("kafka.bootstrap-servers must be 127.0.0.1:<port> with a port from 1 to 65535");
    }

    @Test
    void whatMustNotBeLeftBehindIsStoppedBeforeTheStopIsGivenUp() throws Exception {
        try (ChildJvm stubborn = ChildJvm.of(Stubborn.class).start()) {
            stubborn.awaitLine("up", Duration.ofSeconds(30));
            stubborn.terminate();
            assertThat(stubborn.awaitExit(Duration.ofSeconds(20))).isEqualTo(Exit.FAILED);
            assertThat(stubborn.output()).anyMatch(line -> line.contains("last thing"));
        }
    }

    private Ran dev(int kafkaPort) throws IOException {
        Files.writeString(data.resolve("tailrace.yml"), """
                namespace: dev
                source: {host: 127.0.0.1, port: 1, database: app, user: postgres, sslmode: disable}
                kafka: {bootstrap-servers: "127.0.0.1:%d"}
                """.formatted(kafkaPort));
        return CommandLines.tailrace("dev", "--data", data.toString());
    }

    /** Does not end when it is asked to. */
    static final class Stubborn {
        public static void main(String[] arguments) throws InterruptedException {
            Lifetime lifetime = Lifetime.begin();
            lifetime.beforeGivingUp(() -> System.out.println("last thing"));
            System.out.println("up");
            new CountDownLatch(1).await();
        }
    }
}
