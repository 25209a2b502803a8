package io.tailrace.executor.claim;

import io.tailrace.contract.record.Place;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a record says of its row, as far as a claim needs it.
 *
 * @param id of the row
 * @param source the {@code ce_source} whose row it is; part of the key's lock
 * @param orderingKey empty key and no key are two things
 * @param place the row's place unless it was given one before
 * @param turn the turn that the record speaks of
 * @param xid 32 bits, of the transaction that wrote the row
 * @param bury whether the router gave the row up: it is to be dead, due or not
 * @param event what the record holds of an event; absent for a command, all of which stands in its row
 */
public record ClaimRequest(
        UUID id,
        String source,
        @Nullable String orderingKey,
        Place place,
        int turn,
        OptionalLong xid,
        boolean bury,
        @Nullable EventContent event) {

    /** For a command. */
    public ClaimRequest(
            UUID id,
            String source,
            @Nullable String orderingKey,
            Place place,
            int turn,
            OptionalLong xid,
            boolean bury) {
        this(id, source, orderingKey, place, turn, xid, bury, null);
    }

    /** The same at another turn of its row. */
    public ClaimRequest at(int anotherTurn) {
        return new ClaimRequest(id, source, orderingKey, place, anotherTurn, xid, bury, event);
    }

    /** The event of a request for one. */
    EventContent theEvent() {
        return Objects.requireNonNull(event, () -> "row " + id + " is no event");
    }
}
