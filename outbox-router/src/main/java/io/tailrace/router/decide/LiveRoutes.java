package io.tailrace.router.decide;

import java.util.function.Supplier;

/**
 * Today's routes. They are exchanged whole: every decision is made by the routes that stood when it began, and a row is decided anew each
 * time it is attempted, so rows that wait follow the routes of the day on which they go. A key is one task's, so for a key there is one
 * instant before which all its rows went the old way and after which all go the new. Thread-safe.
 */
public final class LiveRoutes implements Supplier<Routes> {

    private volatile Routes routes;

    public LiveRoutes(Routes routes) {
        this.routes = routes;
    }

    @Override
    public Routes get() {
        return routes;
    }

    /** From now on these. */
    public void become(Routes next) {
        routes = next;
    }
}
