package io.tailrace.schema;

/** Which part of the schema a database needs. */
public enum Scope {
    /** Everything: events and commands are captured here. */
    ALL,
    /** Only the inbox of a handler: the delivery table and what {@code Inbox.once} needs. No publication, no slot. */
    INBOX;

    boolean contains(Scope part) {
        return this == ALL || part == INBOX;
    }
}
