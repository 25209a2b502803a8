package io.tailrace.benchmarks.contender;

import java.time.Duration;
import java.util.Map;

/**
 * What can be set of the peers of commands.
 *
 * @param threads that run commands, and so connections: {@code threads}
 * @param poll how often is asked for work when there was none: {@code poll-ms}
 */
record PeerSettings(int threads, Duration poll) {

    private static final String THREADS = "threads";
    private static final String POLL = "poll-ms";

    /** Eight for each core of a small machine; nobody has tuned it. */
    private static final String USUAL_THREADS = "16";

    /** A hundredth of db-scheduler's own default. */
    private static final String USUAL_POLL = "100";

    static PeerSettings of(Map<String, String> settings) {
        for (String key : settings.keySet()) {
            if (!key.equals(THREADS) && !key.equals(POLL)) {
                throw new IllegalArgumentException("a peer of commands has no setting '" + key + "'");
            }
        }
        return new PeerSettings(
                Integer.parseInt(settings.getOrDefault(THREADS, USUAL_THREADS)),
                Duration.ofMillis(Long.parseLong(settings.getOrDefault(POLL, USUAL_POLL))));
    }
}
