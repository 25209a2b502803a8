package io.tailrace.operations;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;

/**
 * The time in which one operator has a transactional id for itself, as the broker sees it.
 *
 * <p>A producer is not always told that another has taken its id. Where the epoch moves with every commit (KIP-890), a commit that comes
 * while the other is just taking over looks to the broker like a commit said twice, or meets a state that is on its way, and is answered
 * with "invalid state" or with an error of the server's own. Who takes that for an accident and begins anew ends the one who came later.
 * So it is asked first: the epoch is this operator's own as long as it has grown by no more than his commits.
 */
final class Tenure {

    /** What the broker is doing about the other operator is not seen before it is done. */
    private static final int LOOKS = 5;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    private final Admin admin;
    private final String transactionalId;
    private Optional<TransactionDescription> begin = Optional.empty();
    private int commits;

    Tenure(Admin admin, String transactionalId) {
        this.admin = admin;
        this.transactionalId = transactionalId;
    }

    /** The id has just been initialised. */
    void begins() {
        begin = now();
    }

    void committed() {
        commits++;
    }

    /** Another operator has begun since. False as well when the broker says nothing. Takes a second where he has not. */
    boolean isOver() {
        for (int look = 1; ; look++) {
            Optional<TransactionDescription> now = now();
            if (begin.isEmpty() || now.isEmpty()) {
                return false;
            }
            if (now.get().producerId() != begin.get().producerId()
                    || now.get().producerEpoch() > begin.get().producerEpoch() + commits) {
                return true;
            }
            if (look == LOOKS) {
                return false;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    private Optional<TransactionDescription> now() {
        try {
            return Optional.of(admin.describeTransactions(List.of(transactionalId))
                    .description(transactionalId)
                    .get());
        } catch (ExecutionException unknown) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
