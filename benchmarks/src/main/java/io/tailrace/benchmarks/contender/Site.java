package io.tailrace.benchmarks.contender;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.schema.Ownership;

/**
 * One database with one outbox: all names that follow from its own.
 *
 * @param database its name, which is the namespace too
 */
public record Site(String database) {

    /** Where a contender gets warm. */
    public static final Site WARM = new Site("warm");

    /** Where it is measured. */
    public static final Site BENCH = new Site("bench");

    /** As Tailrace names slot and publication; the others use the same, on a server of their own. */
    public Ownership ownership() {
        return Ownership.of(namespace(), database);
    }

    /** The namespace. */
    public Namespace namespace() {
        return new Namespace(database);
    }

    /** Where Tailrace's tables are. */
    public static TableNames tables() {
        return TableNames.DEFAULT;
    }

    /** The topic that Tailrace writes. */
    public String rawTopic() {
        return new Topics(namespace()).rawEvents();
    }

    /** The topic that Tailrace's router brings the events to. */
    public String routedTopic() {
        return new Topics(namespace()).defaultDestination("sales");
    }

    /** The topic of commands that are due. */
    public String commandsTopic() {
        return new Topics(namespace()).commands();
    }

    /** The topic that the limit writes. */
    public String limitTopic() {
        return database + ".limit";
    }

    /** The topic that the peer writes, of aggregate type {@code order}. */
    public String peerTopic() {
        return peerTopicOf("order");
    }

    /** The topic that the peer writes for an aggregate type. */
    String peerTopicOf(String aggregateType) {
        return database + ".peer." + aggregateType;
    }
}
