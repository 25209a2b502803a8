package io.tailrace.executor;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.DeadLetterPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An executor in a process of its own, to be killed or stopped. Arguments: see {@code KilledExecutorTest.child}. */
final class ChildExecutor {

    private ChildExecutor() {}

    public static void main(String[] arguments) throws Exception {
        var config = Configs.of(
                arguments[0],
                Integer.parseInt(arguments[1]),
                arguments[2],
                arguments[3],
                Configs.withTimeout(Duration.ofMillis(Long.parseLong(arguments[4])))
                        .with(DeadLetterPolicy.of(
                                arguments[6].equals("halt-key") ? OnDeadLetter.HALT_KEY : OnDeadLetter.CONTINUE)));
        int millis = Integer.parseInt(arguments[5]);
        AtomicInteger runs = new AtomicInteger();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        CountDownLatch never = new CountDownLatch(1);
        CommandExecutor executor = new CommandExecutor(
                config,
                Handlers.of(
                        Effects.handler("ship", command -> {
                            System.out.println("in the handler");
                            // Work that takes a while.
                            if (never.await(millis, TimeUnit.MILLISECONDS)) {
                                throw new AssertionError();
                            }
                            System.out.println("ran " + runs.incrementAndGet());
                            return Result.success();
                        }),
                        Effects.handler("reject", command -> Result.rejected("no")),
                        Effects.handler("halt", command -> {
                            Runtime.getRuntime().halt(3);
                            return Result.success();
                        })),
                meters,
                Clock.systemUTC());
        executor.start();
        for (int lost = 0; !never.await(50, TimeUnit.MILLISECONDS); ) {
            int now = (int) Shop.count(meters, "tailrace.executor.stepped.back", "why", "lost");
            if (now > lost) {
                lost = now;
                System.out.println("lost " + lost);
            }
            if (meters.find("tailrace.executor.answers.outdated").counter() != null) {
                System.out.println("outdated");
            }
        }
    }
}
