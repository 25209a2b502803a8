package io.tailrace.executor.intake;

import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an {@link Intake} reads: as a member of which group, from which topics, and how.
 *
 * <p>Topics may come; every partition of one must have an offset before it is named. Immutable, as far as the supplier goes.
 */
public final class Feed {

    private final String group;
    private final Supplier<List<String>> topics;
    private final RecordReader reader;

    private Feed(String group, Supplier<List<String>> topics, RecordReader reader) {
        this.group = group;
        this.topics = topics;
        this.reader = reader;
    }

    /** Commands that are due. */
    public static Feed ofCommands(TailraceConfig config) {
        List<String> topics = Intake.topics(config);
        return new Feed(Intake.group(config), () -> topics, new DueDecoder(config.topicNames(), config.ceSource()));
    }

    /**
     * Events of a subscription, and those of them that are due again.
     *
     * @param topics asked again and again
     */
    public static Feed ofSubscription(
            TailraceConfig config, SubscriptionConfig subscription, Supplier<List<String>> topics) {
        return new Feed(
                config.namespace()
                        .executorGroup(subscription.name(), config.source().name()),
                topics,
                new EventDecoder(
                        subscription,
                        config.topicNames(),
                        config.ceSource(),
                        config.topics().partitions()));
    }

    /** Its group; commands have one like it. */
    public String group() {
        return group;
    }

    List<String> topics() {
        return topics.get();
    }

    RecordReader reader() {
        return reader;
    }
}
