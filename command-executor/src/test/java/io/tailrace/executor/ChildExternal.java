package io.tailrace.executor;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.executor.handler.ExternalContext;
import io.tailrace.executor.handler.ExternalHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An executor with an external handler in a process of its own. Arguments: see {@code ExternalTest.child}. */
final class ChildExternal {

    private ChildExternal() {}

    public static void main(String[] arguments) throws Exception {
        var config = Configs.of(
                arguments[0],
                Integer.parseInt(arguments[1]),
                arguments[2],
                arguments[3],
                Configs.executor(4).with(Duration.ofMillis(Long.parseLong(arguments[4])), Map.of()));
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        new CommandExecutor(config, Handlers.of(calling(arguments[5])), meters, Clock.systemUTC()).start();
        CountDownLatch never = new CountDownLatch(1);
        boolean told = false;
        while (!never.await(50, TimeUnit.MILLISECONDS)) {
            if (!told && Shop.count(meters, "tailrace.executor.stepped.back", "why", "fenced") > 0) {
                told = true;
                System.out.println("fenced");
            }
        }
    }

    /** A call that takes no notice of an interrupt. */
    static ExternalHandler calling(String url) {
        return new ExternalHandler() {
            @Override
            public Set<String> names() {
                return Set.of("call");
            }

            @Override
            public Result call(ExternalContext command) throws IOException {
                System.out.println("calls");
                HttpURLConnection connection =
                        (HttpURLConnection) URI.create(url).toURL().openConnection();
                connection.setRequestMethod("POST");
                connection.setRequestProperty("Idempotency-Key", command.id().toString());
                connection.setDoOutput(true);
                try (OutputStream body = connection.getOutputStream()) {
                    body.write('x');
                }
                return connection.getResponseCode() == 200 ? Result.success() : Result.failure("not 200");
            }
        };
    }
}
