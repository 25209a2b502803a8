package io.tailrace.engine.log;

import java.util.List;

/** Takes what is read from the log. */
@FunctionalInterface
public interface ChangeSink {

    /**
     * Takes the next changes. A batch that is empty comes once when the log has nothing more, and says that for now there is nothing to
     * wait for. Called by one thread.
     *
     * @return whether all that was taken so far is safe, so that the server may be told
     */
    boolean take(List<Change> changes) throws InterruptedException;
}
