package io.tailrace.router.deliver;

/** Where records leave: part of the transaction that also takes the input's offset and the stores' changes. */
@FunctionalInterface
public interface Outbound {

    /** Hands the record over. */
    void send(Outgoing record);
}
