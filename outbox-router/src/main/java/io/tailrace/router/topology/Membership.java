package io.tailrace.router.topology;

import io.tailrace.broker.Ask;
import io.tailrace.contract.config.TailraceConfig;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The static members of this instance in the router's group: one for each stream thread. Stateless, any thread. */
public final class Membership {

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private static final int PATIENCE_MILLIS = 5_000;

    /** Before the number that Kafka Streams gives a thread; it ends the instance id of its member with the same one. */
    private static final String THREAD = "-StreamThread-";

    private final Admin admin;
    private final String group;
    private final String instance;

    /** @param admin the caller's */
    public Membership(Admin admin, TailraceConfig config) {
        this.admin = admin;
        this.group = config.namespace().routerApplicationId();
        this.instance = instance(config);
    }

    /** What the ids of this instance's members begin with. */
    static String instance(TailraceConfig config) {
        return config.namespace().routerApplicationId() + "." + config.router().instanceId();
    }

    /**
     * Returns when the coordinator of the group has answered.
     *
     * @throws KafkaException when it does not
     */
    void askCoordinator() {
        ListConsumerGroupOffsetsOptions options = new ListConsumerGroupOffsetsOptions().timeoutMs(PATIENCE_MILLIS);
        try {
            Ask.await(admin.listConsumerGroupOffsets(group, options).partitionsToOffsetAndMetadata());
        } catch (KafkaException lost) {
            throw new KafkaException("the coordinator of group %s: %s".formatted(group, lost.getMessage()), lost);
        }
    }

    /**
     * Takes the member of a thread of ours out of the group.
     *
     * @throws KafkaException when the cluster does not answer
     */
    void leave(String threadName) {
        int at = threadName.lastIndexOf(THREAD);
        if (at < 0) {
            return;
        }
        MemberToRemove member = new MemberToRemove(instance + "-" + threadName.substring(at + THREAD.length()));
        RemoveMembersFromConsumerGroupOptions options =
                new RemoveMembersFromConsumerGroupOptions(List.of(member)).timeoutMs(PATIENCE_MILLIS);
        try {
            Ask.await(admin.removeMembersFromConsumerGroup(group, options).memberResult(member));
        } catch (UnknownMemberIdException gone) {
            LOG.debug("{} has left the group by itself", member, gone);
        }
    }
}
