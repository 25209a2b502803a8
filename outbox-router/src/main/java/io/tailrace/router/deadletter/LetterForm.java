package io.tailrace.router.deadletter;

/**
 * What dead letters look like.
 *
 * @param maxBytes largest record on the wire that their topics take
 * @param streamsHeaders whether the trail stands there a second time, under the names of Kafka Streams
 */
public record LetterForm(int maxBytes, boolean streamsHeaders) {}
