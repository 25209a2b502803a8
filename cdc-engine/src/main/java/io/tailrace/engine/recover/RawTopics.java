package io.tailrace.engine.recover;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.broker.TopicSpec;
import io.tailrace.contract.config.TailraceConfig;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** The engine's topics: which ones are there, by their ids. */
public final class RawTopics {

    private final TailraceConfig config;

    /** Of a namespace. */
    public RawTopics(TailraceConfig config) {
        this.config = config;
    }

    /** Ids by name; what is missing has none. Makes nothing. */
    public Map<String, String> ids() {
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            return ids(keeper(admin));
        }
    }

    /**
     * The same, once all are there and as they must be.
     *
     * @throws io.tailrace.contract.StartRefused naming what differs
     */
    Map<String, String> ensured() {
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            TopicKeeper keeper = keeper(admin);
            keeper.ensure(specs());
            return ids(keeper);
        }
    }

    private Map<String, String> ids(TopicKeeper keeper) {
        return keeper.ids(specs().stream().map(TopicSpec::name).toList());
    }

    private List<TopicSpec> specs() {
        return new TopicCatalog(config.topicNames(), config.topics()).engine();
    }

    private TopicKeeper keeper(Admin admin) {
        return new TopicKeeper(
                admin, config.kafka().bootstrapServers(), config.topics().autoCreate());
    }
}
