package io.tailrace.proof.router;

import io.tailrace.contract.name.Topics;
import io.tailrace.proof.child.RouterSite;
import java.util.List;
import java.util.Set;

/** What the proof calls events and commands, and what that means for them. */
final class Names {

    /** Delivered at once. */
    static final String SHOP = RouterSite.SHOP + ".placed";

    /** Delivered at once, to two topics, unless it is large: then a dead letter and in neither, until both topics take it. */
    static final String SMALL = RouterSite.SMALL + ".noted";

    /** Waits as long as its topic is away. */
    static final String AWAY = RouterSite.AWAY + ".sent";

    /** A dead letter, until a rule knows it. */
    static final String VOID = RouterSite.VOID + ".thing";

    /** A dead letter for ever: no such name is one. */
    static final String NO_NAME = "no name at all";

    /** Delivered at once, and an executor takes it from there. */
    static final String COMMAND = "prove";

    private final Topics topics;
    private final Set<String> destinations;

    Names(Topics topics) {
        this.topics = topics;
        this.destinations = Set.of(
                RouterSite.topic(RouterSite.SHOP),
                RouterSite.topic(RouterSite.SMALL),
                RouterSite.topic(RouterSite.AWAY),
                topics.commands());
    }

    /** What has no rule before this deployment: fails first, and is delivered when it is tried again. */
    static String later(int deployment) {
        return RouterSite.LATER + deployment;
    }

    /** How often a row of that name fails by itself before it is given up or succeeds. */
    static int failuresOfItsOwn(String name, boolean isLarge) {
        if (name.equals(VOID)) {
            return RouterSite.MAX_ATTEMPTS;
        }
        if (name.startsWith(RouterSite.LATER) || name.equals(NO_NAME) || isLarge) {
            return 1;
        }
        return 0;
    }

    boolean isDestination(String topic) {
        return destinations.contains(topic);
    }

    /** Whether rows go there that are to be at another destination as well. */
    boolean isLegacy(String topic) {
        return topic.equals(RouterSite.topic(RouterSite.OLD));
    }

    boolean isAudit(String topic) {
        return topic.equals(topics.auditFeed());
    }

    boolean isDeadLetters(String topic) {
        return topic.equals(topics.deadLetters(Topics.EVENTS)) || topic.equals(topics.deadLetters(Topics.COMMANDS));
    }

    /** All that is read along from the beginning to the end; the topic that is away for a while is read by itself. */
    List<String> read() {
        return List.of(
                RouterSite.topic(RouterSite.SHOP),
                RouterSite.topic(RouterSite.SMALL),
                RouterSite.topic(RouterSite.OLD),
                topics.commands(),
                topics.auditFeed(),
                topics.retry(Topics.EVENTS),
                topics.deadLetters(Topics.EVENTS),
                topics.deadLetters(Topics.COMMANDS));
    }
}
