package io.tailrace.router.lane;

/** What the stores hold cannot be worked with, whichever row is looked at; the message says what to do. Parking rows would not help. */
public final class UnusableState extends IllegalStateException {

    private static final long serialVersionUID = 1;

    public UnusableState(String culpritAndFix) {
        super(culpritAndFix);
    }
}
