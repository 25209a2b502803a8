package io.tailrace.cli;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.RouterConfig;
import io.tailrace.contract.config.TailraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration again when its file has changed or SIGHUP comes, and hands on its routes; all else waits for the next start,
 * and is named. A file that cannot be used changes nothing and is named once; so does one that names other secrets: a route that came with
 * its secrets would otherwise go without them. The content is compared, not the time: mounted files are
 * exchanged by links, and some editors write twice.
 */
final class ConfigReload implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConfigReload.class);

    static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    private static final Map<String, Function<TailraceConfig, Object>> SECTIONS = sections();

    private final Path file;
    private final Function<String, TailraceConfig> reader;
    private final Consumer<RouterConfig> taker;
    private final Duration lookEvery;
    private final Semaphore asked = new Semaphore(0);
    private final Thread thread = new Thread(this::run, "tailrace-reload");

    // Of the thread alone.
    private TailraceConfig running;
    private String seen = "";

    private volatile boolean closed;

    /**
     * Begins to look.
     *
     * @param reader of the file's text; throws with a message of what is wrong
     * @param running what the process was started with
     * @param taker of the routes; throws if it cannot use them
     */
    ConfigReload(
            Path file,
            Function<String, TailraceConfig> reader,
            TailraceConfig running,
            Consumer<RouterConfig> taker,
            Duration lookEvery) {
        this.file = file;
        this.reader = reader;
        this.running = running;
        this.taker = taker;
        this.lookEvery = lookEvery;
        thread.setDaemon(true);
        thread.start();
    }

    /** Reads it now, changed or not: what it takes from variables and other files may have changed. Any thread. */
    void ask() {
        asked.release();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private void run() {
        while (!closed) {
            try {
                boolean isAsked = asked.tryAcquire(lookEvery.toMillis(), TimeUnit.MILLISECONDS);
                asked.drainPermits();
                look(isAsked);
            } catch (InterruptedException stopping) {
                return;
            }
        }
    }

    private void look(boolean isAsked) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException unreadable) {
            // While it is exchanged, or for longer.
            if (isAsked) {
                LOG.error("Configuration cannot be read, the routes stay as they are: {}", unreadable.toString());
            }
            return;
        }
        if (!isAsked && text.equals(seen)) {
            return;
        }
        seen = text;
        try {
            take(reader.apply(text), isAsked);
        } catch (RuntimeException refused) {
            // Whatever it is: what runs goes on with what it has.
            LOG.error("Changed configuration is not taken, the routes stay as they are: {}", refused.getMessage());
        }
    }

    private void take(TailraceConfig next, boolean isAsked) {
        if (!next.redact().equals(running.redact())) {
            throw new StartRefused(
                    "redact has changed, and only a start takes that up: until then what it newly names is NOT"
                            + " hidden anywhere. Start router and executors anew; for a change of routes alone put redact back");
        }
        RouterConfig before = running.router();
        RouterConfig router = before.with(next.router().routes(), next.router().retry());
        boolean isNew = !router.equals(before);
        if (isNew) {
            taker.accept(router);
            running = running.with(router);
            LOG.info(
                    "Routes changed: rules={} default={}; rows that wait follow them when their wait is over",
                    router.routes().rules().size(),
                    router.routes().byDefault());
        }
        List<String> others = SECTIONS.entrySet().stream()
                .filter(section -> !section.getValue()
                        .apply(next)
                        .equals(section.getValue().apply(running)))
                .map(Map.Entry::getKey)
                .toList();
        if (!others.isEmpty()) {
            LOG.warn("Configuration changed where only a start takes it up: sections={}", others);
        } else if (isAsked && !isNew) {
            LOG.info("Configuration read again, nothing has changed");
        }
    }

    private static Map<String, Function<TailraceConfig, Object>> sections() {
        Map<String, Function<TailraceConfig, Object>> sections = new LinkedHashMap<>();
        sections.put("namespace", TailraceConfig::namespace);
        sections.put("sources", TailraceConfig::sources);
        sections.put("kafka", TailraceConfig::kafka);
        sections.put("topics", TailraceConfig::topics);
        sections.put("outbox", TailraceConfig::outbox);
        sections.put("engine", TailraceConfig::engine);
        sections.put("router", TailraceConfig::router);
        sections.put("executor", TailraceConfig::executor);
        sections.put("subscriptions", TailraceConfig::subscriptions);
        sections.put("http", TailraceConfig::http);
        return sections;
    }
}
