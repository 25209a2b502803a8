package io.tailrace.executor.intake;

import io.tailrace.broker.CommitNote;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of this member, from the moment they come to the moment they go, and what it commits of them. Before anything of a
 * partition is read its last owner's note is, and that it has an owner is committed; who goes in order commits that it has none. So what is found
 * owned was left by a process that died, or that had lost its partition and could not say so.
 *
 * <p>The intake's thread alone.
 */
final class Partitions {

    private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);

    private final KeyQueues queues;
    private final ExecutorMetrics metrics;
    private final Duration patience;

    /** Ours, and not yet committed to be: nothing of them is read. */
    private final Set<TopicPartition> awaited = new HashSet<>();

    private final Map<TopicPartition, Assignment> begun = new HashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    private int noteChars = CommitNote.MOST_CHARS;

    /** @param patience for a call that has to be answered */
    Partitions(KeyQueues queues, ExecutorMetrics metrics, Duration patience) {
        this.queues = queues;
        this.metrics = metrics;
        this.patience = patience;
    }

    /** Those that are read. */
    Collection<Assignment> all() {
        return begun.values();
    }

    /** One of which something was read. */
    Assignment get(TopicPartition partition) {
        return Objects.requireNonNull(begun.get(partition), () -> partition + " was read before it was begun");
    }

    /** They are ours; nothing of them is read until {@link #begin}. */
    void await(KafkaConsumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        awaited.addAll(partitions);
        consumer.pause(partitions);
    }

    /** Begins those that have come, or some other time when the group is just being rearranged. */
    void begin(KafkaConsumer<?, ?> consumer) {
        if (awaited.isEmpty()) {
            return;
        }
        Map<TopicPartition, CommitNote> notes = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> ours = new HashMap<>();
        try {
            consumer.committed(Set.copyOf(awaited), patience).forEach((partition, found) -> {
                // One without an offset is told of by the next poll.
                if (found != null) {
                    CommitNote note = CommitNote.parse(found.offset(), found.metadata());
                    notes.put(partition, note);
                    ours.put(partition, committable(note.owned(true)));
                }
            });
            consumer.commitSync(ours, patience);
        } catch (RetriableException | RebalanceInProgressException | CommitFailedException later) {
            LOG.debug("Begun later: {}", awaited, later);
            return;
        } catch (OffsetMetadataTooLarge tooLarge) {
            shortNotes();
            return;
        }
        notes.forEach((partition, note) -> begin(consumer, partition, note));
        committed.putAll(ours);
        metrics.assigned(begun.size());
    }

    private void begin(KafkaConsumer<?, ?> consumer, TopicPartition partition, CommitNote note) {
        Assignment assignment = new Assignment(partition, new Watermark(note));
        begun.put(partition, assignment);
        awaited.remove(partition);
        if (note.owned()) {
            LOG.warn(
                    "The last owner of {} left without a word, the first rows after {} run one at a time",
                    partition,
                    note.offset());
            queues.suspect(assignment);
        }
        consumer.seek(partition, note.offset());
        consumer.resume(List.of(partition));
    }

    /** Commits what has changed, in the background. */
    void commit(KafkaConsumer<?, ?> consumer) {
        Map<TopicPartition, OffsetAndMetadata> changed = changed(begun.keySet(), true);
        if (changed.isEmpty()) {
            return;
        }
        committed.putAll(changed);
        consumer.commitAsync(changed, (offsets, failure) -> {
            if (failure != null) {
                // Tried again with the next commit; until then only more is looked at again after a crash.
                offsets.keySet().forEach(committed::remove);
                if (failure instanceof OffsetMetadataTooLarge) {
                    shortNotes();
                }
                LOG.debug("Offsets not committed", failure);
            }
        });
    }

    /** Gives all of them back. Not in a callback of the client. */
    void leave(KafkaConsumer<?, ?> consumer) {
        Map<TopicPartition, OffsetAndMetadata> last = forget(Set.copyOf(begun.keySet()));
        long until = System.nanoTime() + patience.toNanos();
        while (!last.isEmpty() && !isLastWord(consumer, last, System.nanoTime() - until < 0)) {
            // What is ours when the group has been rearranged; what is not was given up by now, with its last word.
            last.keySet().retainAll(consumer.assignment());
        }
    }

    /** False when the group is just being rearranged, and some of that is behind us now. */
    private boolean isLastWord(
            KafkaConsumer<?, ?> consumer, Map<TopicPartition, OffsetAndMetadata> last, boolean mayTryAgain) {
        try {
            try {
                consumer.commitSync(last, patience);
                return true;
            } catch (RebalanceInProgressException rearranged) {
                if (!mayTryAgain) {
                    throw rearranged;
                }
                consumer.pause(consumer.assignment());
                consumer.poll(BETWEEN_TRIES);
                return false;
            }
        } catch (KafkaException notCommitted) {
            warn(last, notCommitted);
            return true;
        }
    }

    /**
     * Gives some back.
     *
     * @param stillOurs whether no other member can have them yet
     */
    void giveUp(KafkaConsumer<?, ?> consumer, Collection<TopicPartition> partitions, boolean stillOurs) {
        Map<TopicPartition, OffsetAndMetadata> last = forget(partitions);
        if (stillOurs && !last.isEmpty()) {
            try {
                consumer.commitSync(last, patience);
            } catch (KafkaException notCommitted) {
                warn(last, notCommitted);
            }
        }
    }

    private static void warn(Map<TopicPartition, OffsetAndMetadata> last, KafkaException notCommitted) {
        LOG.warn(
                "Offsets not committed, the next owner looks at rows again and suspects the first ones: {}",
                last.keySet(),
                notCommitted);
    }

    /** Nothing of them runs from now on; what is to be committed last. */
    private Map<TopicPartition, OffsetAndMetadata> forget(Collection<TopicPartition> partitions) {
        queues.revoke(
                partitions.stream().flatMap(each -> begunAs(each).stream()).toList());
        Map<TopicPartition, OffsetAndMetadata> changed = changed(partitions, false);
        awaited.removeAll(partitions);
        begun.keySet().removeAll(partitions);
        committed.keySet().removeAll(partitions);
        metrics.assigned(begun.size());
        return changed;
    }

    private Map<TopicPartition, OffsetAndMetadata> changed(Collection<TopicPartition> partitions, boolean owned) {
        Map<TopicPartition, OffsetAndMetadata> changed = new HashMap<>();
        for (TopicPartition partition : partitions) {
            begunAs(partition)
                    .map(assignment -> assignment.watermark().note())
                    .map(note -> committable(note.owned(owned)))
                    .filter(now -> !now.equals(committed.get(partition)))
                    .ifPresent(now -> changed.put(partition, now));
        }
        return changed;
    }

    private Optional<Assignment> begunAs(TopicPartition partition) {
        return Optional.ofNullable(begun.get(partition));
    }

    private OffsetAndMetadata committable(CommitNote note) {
        return new OffsetAndMetadata(note.offset(), note.text(noteChars));
    }

    /** A broker may be told to take less than is usual; the next commit has no list. */
    private void shortNotes() {
        if (noteChars > 0) {
            LOG.warn(
                    "The broker takes no notes beside offsets (offset.metadata.max.bytes), slow rows hold up the offset");
        }
        noteChars = 0;
    }
}
