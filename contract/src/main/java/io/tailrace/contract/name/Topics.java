package io.tailrace.contract.name;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The topics of a namespace. {@code x} stands for {@code events}, {@code commands} or a subscription.
 *
 * @param namespace whose topics
 */
public record Topics(Namespace namespace) {

    /** The {@code x} of the router's own rows. */
    public static final String EVENTS = "events";

    /** The {@code x} of commands: the subscription that every executor has. */
    public static final String COMMANDS = "commands";

    /** Kafka's limit on a topic name. */
    public static final int MAX_LENGTH = 249;

    private static final Set<String> TAKEN = Set.of("raw", EVENTS, COMMANDS, "audit");

    private static final Pattern SUBSCRIPTION = Pattern.compile("[a-z][a-z0-9_-]{0,59}");

    private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]+");

    public Topics {
        Objects.requireNonNull(namespace, "namespace");
    }

    /** Rows of the outbox as they were committed; partitioned by ordering key. */
    public String rawEvents() {
        return own("raw.events");
    }

    /** Command rows and control messages as they were committed; partitioned by ordering key. */
    public String rawCommands() {
        return own("raw.commands");
    }

    /** Commands that are due. */
    public String commands() {
        return own(COMMANDS);
    }

    /** What failed and waits, what comes back from executors, and what operators replay. */
    public String retry(String x) {
        return own(x + ".retry");
    }

    /** Where it is said that rows are done: whoever scrubs them reads all of these, and whoever shortens one waits for him. */
    public List<String> doneNotes() {
        return List.of(retry(EVENTS), retry(COMMANDS));
    }

    /** Rows of a subscription that are due again, in place order. Events have none: the router attempts them in place. */
    public String redelivery(String x) {
        if (x.equals(EVENTS)) {
            throw new IllegalArgumentException(
                    "events are attempted by the router itself and have no redelivery topic");
        }
        return own(x + ".redelivery");
    }

    /** Dead letters, compacted, keyed and partitioned by row id. */
    public String deadLetters(String x) {
        return own(x + ".dlq");
    }

    /** A copy of every delivered event, secrets removed. */
    public String auditFeed() {
        return own("audit-feed");
    }

    /** What operators changed, and which groups have begun. */
    public String operations() {
        return own("operations");
    }

    /** The engine's positions, compacted, keyed by slot. */
    public String positions() {
        return own("positions");
    }

    /** Where an event goes that no route names: {@code <ns>.events.<first segment>}. */
    public String defaultDestination(String firstSegment) {
        return own("events." + firstSegment);
    }

    /** Whether a route may not write this topic, because Tailrace itself does, or Kafka. */
    public boolean isReserved(String topic, List<String> subscriptions) {
        boolean isOfTheBroker = topic.startsWith("__");
        boolean isOfStreams = topic.startsWith(namespace.routerApplicationId() + "-");
        if (isOfTheBroker || isOfStreams) {
            return true;
        }
        if (Set.of(rawEvents(), rawCommands(), commands(), auditFeed(), operations(), positions())
                .contains(topic)) {
            return true;
        }
        return java.util.stream.Stream.concat(java.util.stream.Stream.of(EVENTS, COMMANDS), subscriptions.stream())
                .anyMatch(x ->
                        topic.equals(retry(x)) || topic.equals(own(x + ".redelivery")) || topic.equals(deadLetters(x)));
    }

    /** Whether Kafka takes this as a topic name. */
    public static boolean isLegal(String topic) {
        return topic.length() <= MAX_LENGTH
                && LEGAL.matcher(topic).matches()
                && !topic.equals(".")
                && !topic.equals("..");
    }

    /** Whether a subscription may bear this name. */
    public static boolean isSubscriptionName(String name) {
        return SUBSCRIPTION.matcher(name).matches() && !TAKEN.contains(name);
    }

    private String own(String rest) {
        return namespace.value() + "." + rest;
    }
}
