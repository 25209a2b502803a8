package io.tailrace.contract;

import java.util.List;

/**
 * A part will not start, because it would lose or double data, or cannot work as things are. The message says what is wrong, what
 * may have been lost, and what to do.
 */
public final class StartRefused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** One problem. */
    public StartRefused(String problem) {
        super(problem);
    }

    /** All problems at once. */
    public StartRefused(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
    }
}
