package io.tailrace.proof;

import io.tailrace.proof.load.WorkloadKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One run.
 *
 * @param acts what happens, one after the other, to the same servers and the same rows
 * @param seed of the writers and of the choice of moments; the machine's own timing is not in it
 * @param workload what is written
 * @param resume what is proved, or the control
 * @param patience how long anything may take that must come, such as a new engine to be ready
 */
public record ProofSettings(List<Act> acts, long seed, WorkloadKind workload, Resume resume, Duration patience) {

    /** Longer than Kafka keeps the open transaction of a client that has died, by default. */
    public static final Duration PATIENCE = Duration.ofSeconds(180);

    /**
     * One kind of fault.
     *
     * @param kills how often, at least 1
     * @param points where; those that the fault knows, each as often as every other
     */
    public record Act(Fault fault, int kills, Set<KillPoint> points) {

        /** Everywhere. */
        public Act(Fault fault, int kills) {
            this(fault, kills, EnumSet.allOf(KillPoint.class));
        }

        public Act {
            Objects.requireNonNull(fault, "fault");
            points = Set.copyOf(points);
            if (kills < 1) {
                throw new IllegalArgumentException("at least one kill, not " + kills);
            }
        }
    }

    public ProofSettings {
        acts = List.copyOf(acts);
        Objects.requireNonNull(workload, "workload");
        Objects.requireNonNull(resume, "resume");
        Objects.requireNonNull(patience, "patience");
        if (resume == Resume.STOCK && acts.stream().anyMatch(act -> act.fault() == Fault.ZOMBIE)) {
            throw new IllegalArgumentException("stock has no standby: nobody would succeed the one that is stopped");
        }
    }

    int kills() {
        return acts.stream().mapToInt(Act::kills).sum();
    }
}
