package io.tailrace.client;

import io.tailrace.contract.name.RowName;
import java.util.OptionalInt;

/**
 * Something that happened: {@code Event.of("sales.order-placed").key("o-1").json("{\"total\": 12}")}. Immutable. Its text form
 * shows neither payload nor headers.
 */
public final class Event extends Row<Event> {

    private final RowName name;
    private final OptionalInt version;

    private Event(RowName name, OptionalInt version, Content content) {
        super(content);
        this.name = name;
        this.version = version;
    }

    /**
     * An event of that name, without key and payload.
     *
     * @param name two segments at least, {@code segment(.segment)+}, at most 200 characters, optionally ending in {@code .vN}
     */
    public static Event of(String name) {
        return new Event(Text.name("event_name", name, RowName.event(name)), OptionalInt.empty(), Content.EMPTY);
    }

    /** States the version; without it that of the name counts, else 1. It may not contradict the name. */
    public Event version(int stated) {
        if (name.version(OptionalInt.of(stated)).isEmpty()) {
            throw new IllegalArgumentException(
                    "event_version %d contradicts the name '%s' or is below 1".formatted(stated, name.text()));
        }
        return new Event(name, OptionalInt.of(stated), content());
    }

    RowName name() {
        return name;
    }

    OptionalInt version() {
        return version;
    }

    @Override
    Event with(Content changed) {
        return new Event(name, version, changed);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Event event
                && name.equals(event.name)
                && version.equals(event.version)
                && content().equals(event.content());
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + content().hashCode();
    }

    @Override
    public String toString() {
        return "Event[" + name.text() + ", key=" + content().key() + "]";
    }
}
