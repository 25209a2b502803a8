package io.tailrace.router.past;

/**
 * Both memories of a task.
 *
 * @param finished rows of subscriptions that are done
 * @param passed keys of the router's own rows that have delivered past a dead letter
 */
public record Past(Finished finished, Passed passed) {

    /** Opens both over one store. */
    public static Past over(PastStore store) {
        return new Past(new Finished(store), new Passed(store));
    }
}
