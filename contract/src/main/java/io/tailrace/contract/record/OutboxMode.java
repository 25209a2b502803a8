package io.tailrace.contract.record;

/** What an event is in the database. Both ways make the same records, and both may be used side by side. */
public enum OutboxMode {
    /** A row of the outbox table: can be queried, and published again from there. */
    TABLE,
    /** A message in the write-ahead log and nothing else: cheaper to carry, and gone with the log. */
    MESSAGE
}
