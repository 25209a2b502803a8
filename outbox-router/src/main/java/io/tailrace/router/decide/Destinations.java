package io.tailrace.router.decide;

/** What is known of the topics that events go to. Answers at once, from memory; whoever keeps it up to date does so elsewhere. */
@FunctionalInterface
public interface Destinations {

    /** The state of a topic, as last seen. */
    Destination of(String topic);
}
