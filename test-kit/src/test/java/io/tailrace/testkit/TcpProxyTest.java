package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@RealParts
class TcpProxyTest {

    @Test
    void aDatabaseLinkIsCutRefusedSilentAndWellAgain(Stack stack) throws Exception {
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            String url = stack.jdbcUrl().replace(":" + stack.postgres().port() + "/", ":" + proxy.port() + "/");
            Connection cut = DriverManager.getConnection(url);
            assertThat(one(cut)).isEqualTo(1);
            // The driver may have tried once with encryption first.
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> proxy.connections() == 1);

            proxy.cutAll();
            assertThatThrownBy(() -> one(cut)).isInstanceOf(SQLException.class);
            try (Connection next = DriverManager.getConnection(url)) {
                assertThat(one(next)).isEqualTo(1);
            }

            proxy.refuse();
            // The kernel may still take one that came while the socket was being closed.
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThatThrownBy(() -> DriverManager.getConnection(url))
                            .hasMessageContaining("refused"));

            proxy.resume();
            try (Connection kept = DriverManager.getConnection(url)) {
                proxy.silence();
                CompletableFuture<Integer> late = CompletableFuture.supplyAsync(() -> {
                    try {
                        return one(kept);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                assertThatThrownBy(() -> late.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                proxy.resume();
                assertThat(late.get(10, TimeUnit.SECONDS)).isEqualTo(1);
            }
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> proxy.connections() == 0);
        }
    }

    private static int one(Connection connection) throws SQLException {
        try (var rows = connection.createStatement().executeQuery("SELECT 1")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
