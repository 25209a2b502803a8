package io.tailrace.router.decide;

import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.deliver.Outgoing;
import java.util.List;

/** What is to become of a row. Nothing has happened yet. */
public sealed interface Decision {

    /** Takes the way of this decision. */
    <T> T match(Cases<T> cases);

    /**
     * Deliver these records, all in one transaction.
     *
     * @param records at least one
     * @param audited whether the audit feed gets a copy, in the same transaction
     */
    record Publish(List<Outgoing> records, boolean audited) implements Decision {
        public Publish {
            records = List.copyOf(records);
        }

        @Override
        public <T> T match(Cases<T> cases) {
            return cases.publish(this);
        }
    }

    /**
     * Try again, using no attempt.
     *
     * @param until milliseconds since the epoch
     * @param destination whose state is the cause
     * @param known whether the cause is known, or only not looked at yet
     */
    record Wait(long until, String destination, boolean known) implements Decision {
        @Override
        public <T> T match(Cases<T> cases) {
            return cases.await(this);
        }
    }

    /**
     * The attempt failed; try again.
     *
     * @param at milliseconds since the epoch, jitter drawn
     * @param attempts used, this one included
     * @param cause why
     * @param error for the trail
     */
    record Retry(long at, int attempts, Reason cause, ErrorTrail error) implements Decision {
        @Override
        public <T> T match(Cases<T> cases) {
            return cases.retry(this);
        }
    }

    /**
     * Give the row up.
     *
     * @param reason why
     * @param attempts used, this one included
     * @param error for the trail
     * @param stage which step gave it up
     */
    record DeadLetter(Reason reason, int attempts, ErrorTrail error, String stage) implements Decision {
        @Override
        public <T> T match(Cases<T> cases) {
            return cases.deadLetter(this);
        }
    }

    /** One way for each decision. */
    interface Cases<T> {
        T publish(Publish decision);

        T await(Wait decision);

        T retry(Retry decision);

        T deadLetter(DeadLetter decision);
    }
}
