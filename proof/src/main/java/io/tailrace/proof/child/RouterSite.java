package io.tailrace.proof.child;

import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.contract.config.TailraceConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a router is told.
 *
 * @param site where everything is
 * @param instance its name in the group, the same after a restart
 * @param state its stores, there after a restart
 * @param guarantee what is proved, or the control
 */
public record RouterSite(Site site, String instance, Path state, Guarantee guarantee) {

    /** Of a row that has failed, ±20 %. */
    public static final Duration WAIT = Duration.ofSeconds(2);

    /** After that a router that does not come back is succeeded. */
    public static final Duration SESSION = Duration.ofSeconds(4);

    /** Most that a row may fail before it is given up. */
    public static final int MAX_ATTEMPTS = 2;

    /** All waits of a row together, jitter included: an outage is longer. */
    public static final Duration RETRY_BUDGET = WAIT.multipliedBy(12).dividedBy(10);

    /** First segment of names that go to {@link #SHOP}, always. */
    public static final String SHOP = "shop";

    /** First segment of names whose topic takes small records only, until it is mended; they go to {@link #OLD} as well. */
    public static final String SMALL = "small";

    /** The topic that readers of {@link #SMALL} still have, and that takes records of any size. */
    public static final String OLD = "old";

    /** First segment of names whose topic is deleted under way. */
    public static final String AWAY = "away";

    /** First segment of names that no rule knows until {@link Routes#mended}; then they go to {@link #SHOP}. */
    public static final String VOID = "void";

    /** With the number of a deployment: names that no rule knows before it; then they go to {@link #SHOP}. */
    public static final String LATER = "later.g";

    /**
     * The routes of the day.
     *
     * @param deployment all {@link #LATER} names up to this one have a rule
     * @param mended whether {@link #VOID} names have one
     * @param delay of a row that fails from now on, ±20 %
     */
    public record Routes(int deployment, boolean mended, Duration delay) {

        /** Those of the next deployment. */
        public Routes next() {
            return new Routes(deployment + 1, mended, delay);
        }

        /** The same with rules for what was poison. */
        public Routes asMended() {
            return new Routes(deployment, true, delay);
        }

        /** The same with another wait. */
        public Routes waiting(Duration other) {
            return new Routes(deployment, mended, other);
        }

        /** For a child. */
        String text() {
            return "%d %s %d".formatted(deployment, mended, delay.toMillis());
        }

        static Routes of(String text) {
            String[] words = text.split(" ", 3);
            return new Routes(
                    Integer.parseInt(words[0]),
                    Boolean.parseBoolean(words[1]),
                    Duration.ofMillis(Long.parseLong(words[2])));
        }
    }

    /** Where the events of a first segment go. */
    public static String topic(String segment) {
        return "proof.events." + segment;
    }

    /** The configuration with those routes. */
    public TailraceConfig config(Routes routes) {
        Map<String, Object> file = new HashMap<>(site.file());
        Map<String, Object> topics = new HashMap<>(Site.topics());
        // A destination that is gone stays so.
        topics.put("auto-create", "false");
        file.put("topics", topics);
        file.put(
                "kafka",
                Map.of(
                        "bootstrap-servers",
                        site.bootstrapServers(),
                        // One that does not come back is succeeded after seconds instead of 45.
                        "properties",
                        Map.of(
                                "session.timeout.ms", Long.toString(SESSION.toMillis()),
                                "heartbeat.interval.ms", "500",
                                // One that comes back has its share at once, however much it has to restore.
                                "acceptable.recovery.lag", "100000000")));
        file.put(
                "router",
                Map.of(
                        "instance-id", instance,
                        "state-directory", state.toString(),
                        "guarantee", guarantee.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                        "retry", retry(routes.delay(), routes.delay().multipliedBy(2)),
                        "routes", Map.of("default", "none", "rules", rules(routes))));
        return Site.read(file);
    }

    private static Map<String, Object> retry(Duration base, Duration cap) {
        return Map.of(
                "base", base.toMillis() + "ms",
                "cap", cap.toMillis() + "ms",
                "max-attempts", MAX_ATTEMPTS);
    }

    private static List<Map<String, Object>> rules(Routes routes) {
        List<Map<String, Object>> rules = new ArrayList<>();
        rules.add(rule(SHOP + ".*", SHOP));
        rules.add(Map.of("pattern", SMALL + ".*", "topic", topic(SMALL), "legacy-topic", topic(OLD)));
        // Whatever others wait for: it is to be back soon after its topic is.
        rules.add(Map.of("pattern", AWAY + ".*", "topic", topic(AWAY), "retry", retry(WAIT, WAIT)));
        for (int i = 1; i <= routes.deployment(); i++) {
            rules.add(rule(LATER + i, SHOP));
        }
        if (routes.mended()) {
            rules.add(rule(VOID + ".*", SHOP));
        }
        return rules;
    }

    private static Map<String, Object> rule(String pattern, String segment) {
        return Map.of("pattern", pattern, "topic", topic(segment));
    }

    /** For the command line of a child. */
    public List<String> arguments() {
        List<String> all = new ArrayList<>(site.arguments());
        all.addAll(List.of(instance, state.toString(), guarantee.name()));
        return all;
    }

    static RouterSite of(String[] arguments) {
        return new RouterSite(Site.of(arguments), arguments[3], Path.of(arguments[4]), Guarantee.valueOf(arguments[5]));
    }
}
