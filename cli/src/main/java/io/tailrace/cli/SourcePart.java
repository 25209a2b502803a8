package io.tailrace.cli;

import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of one source among several: when it has given up another one can be made in its place, again and again. Thread-safe, if one
 * thread at a time starts.
 */
final class SourcePart {

    private static final Logger LOG = LoggerFactory.getLogger(SourcePart.class);

    /** What differs from one time to the next in a refusal that is still the same: log positions, sizes, ages. */
    private static final Pattern FIGURES = Pattern.compile("[0-9A-Fa-f]+/[0-9A-Fa-f]+|\\d+");

    private final String source;
    private final Supplier<Part> maker;
    private final Duration againAfter;

    // Guarded by this: a close may come while another one is made.
    private Part part;
    private boolean closed;

    /** What the last start said, or what ended the part. */
    private volatile @Nullable String refusal;

    /** @param maker makes a new one, not started */
    SourcePart(String source, Duration againAfter, Supplier<Part> maker) {
        this.source = source;
        this.maker = maker;
        this.againAfter = againAfter;
        this.part = maker.get();
    }

    synchronized Part part() {
        return part;
    }

    Optional<String> refusal() {
        return Optional.ofNullable(refusal);
    }

    /** Starts it. One that will not is an error in the log and in the health, and nobody else's matter. */
    void start() {
        start(part());
    }

    /**
     * If it has given up, makes another one and starts that. Until it has started the health says what it said before. Throws nothing:
     * the next try must come, of this one and of the others.
     */
    void startAgain() {
        Part before = part();
        if (refusal == null) {
            Health now = before.health();
            if (now.state() != State.FAILED) {
                return;
            }
            // It has said so itself.
            refusal = now.detail();
        }
        // First, so that it lets go of what the next one takes.
        try {
            before.close();
        } catch (RuntimeException bug) {
            LOG.warn("The {} of source {} did not close cleanly", before.name(), source, bug);
        }
        Part next;
        try {
            synchronized (this) {
                if (closed) {
                    return;
                }
                next = maker.get();
                part = next;
            }
        } catch (StartRefused refused) {
            refused(before, String.valueOf(refused.getMessage()));
            return;
        } catch (RuntimeException bug) {
            failed(before, bug);
            return;
        }
        start(next);
    }

    private void start(Part starting) {
        String before = refusal;
        try {
            starting.start();
            refusal = null;
            if (before != null && !isClosed()) {
                LOG.info("The {} of source {} is not refused any more", starting.name(), source);
            }
        } catch (StartRefused refused) {
            refused(starting, String.valueOf(refused.getMessage()));
        } catch (RuntimeException bug) {
            failed(starting, bug);
        }
    }

    private void refused(Part which, String text) {
        if (isNews(refusal, text)) {
            LOG.error(
                    "The {} of source {} is refused, the others go on; it is tried again every {} s: {}",
                    which.name(),
                    source,
                    againAfter.toSeconds(),
                    text);
        }
        refusal = text;
    }

    private void failed(Part which, RuntimeException bug) {
        // One that was closed before it was started throws, too.
        if (isNews(refusal, bug.toString()) && !isClosed()) {
            LOG.error("The {} of source {} has a bug, the others go on", which.name(), source, bug);
        }
        refusal = bug.toString();
    }

    private static boolean isNews(@Nullable String before, String now) {
        return before == null
                || !FIGURES.matcher(before)
                        .replaceAll("#")
                        .equals(FIGURES.matcher(now).replaceAll("#"));
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    Health health() {
        String said = refusal;
        return said == null || isClosed() ? part().health() : new Health(State.FAILED, "refused: " + said);
    }

    /** Also while it starts: a part's start ends when the part is closed. */
    void close() {
        Part last;
        synchronized (this) {
            closed = true;
            last = part;
        }
        last.close();
    }
}
