package io.tailrace.engine.recover;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tailrace.engine.source.Lsn;
import io.tailrace.engine.source.Position;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** What a run has found and done so far, and how that is told. Not thread-safe. */
final class Outcome {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Order order;
    private final Standing standing;
    private final long gapTo;
    private final Epochs epochs;
    private Report.@Nullable Compared compared;
    private long events;
    private long commands;
    private long acts;

    /** @param gapTo where the new slot begins */
    Outcome(Order order, Standing standing, long gapTo, Epochs epochs) {
        this.order = order;
        this.standing = standing;
        this.gapTo = gapTo;
        this.epochs = epochs;
    }

    Outcome compared(Report.Compared both) {
        compared = both;
        return this;
    }

    void published(Republisher republisher) {
        events = republisher.events();
        commands = republisher.commands();
        acts = republisher.acts();
    }

    Order order() {
        return order;
    }

    String gapFrom() {
        return standing.gapFrom();
    }

    long gapTo() {
        return gapTo;
    }

    long events() {
        return events;
    }

    long commands() {
        return commands;
    }

    /** Where an engine goes on. */
    Position position() {
        return Position.seed(standing.facts().systemId(), standing.facts().timeline(), slot(), gapTo)
                .inEpoch(epochs.now())
                .tiedTo(standing.ties());
    }

    /** For the operations topic. The key is its own: nothing is compacted away. */
    ProducerRecord<byte[], byte[]> note(String topic, Instant now) {
        ObjectNode json = JSON.createObjectNode();
        json.put("act", "engine recover --" + order.way().text());
        json.put("slot", slot());
        json.put("fromLsn", gapFrom());
        json.put("toLsn", Lsn.text(gapTo));
        json.put("at", now.toString());
        json.put("by", order.by());
        json.put("note", order.note());
        standing.refusals().forEach(json.withArray("reasons")::add);
        json.put("publishedEvents", events);
        json.put("publishedCommands", commands);
        json.put("publishedActs", acts);
        json.put("epoch", epochs.now());
        String key = "engine-recover/%s/%s".formatted(slot(), UUID.randomUUID());
        return new ProducerRecord<>(
                topic, key.getBytes(StandardCharsets.UTF_8), json.toString().getBytes(StandardCharsets.UTF_8));
    }

    Report report() {
        return new Report(
                order,
                slot(),
                standing.refusals(),
                gapFrom(),
                Lsn.text(gapTo),
                Optional.ofNullable(compared),
                events,
                commands,
                acts,
                epochs.before(),
                epochs.now(),
                order.dryRun() ? Optional.empty() : Optional.of(position().text()),
                notes());
    }

    private String slot() {
        return standing.slot();
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        Report.Compared both = compared;
        if (both != null) {
            gone(both, notes);
            if (both.events().older() > 0) {
                notes.add(
                        "%,d events have no record, but are older than what the raw topic remembers: they were most likely published and then deleted from it by retention, unless their transaction was open for more than a day. They are left alone; --since takes in those that were written from an instant on"
                                .formatted(both.events().older()));
            }
            if (both.commands().underWay() > 0) {
                notes.add(
                        "%,d pending commands have no record, but an executor has met them: they wait in the retry topic and are left alone"
                                .formatted(both.commands().underWay()));
            }
        }
        if (order.way() == Order.Way.ACCEPT_GAP) {
            notes.add(
                    "acts on commands (cancel, reschedule, run now, requeue) committed between %s and %s were not heard by the router: the row holds the truth, but a command that was requeued or moved forward has to be told again"
                            .formatted(gapFrom(), Lsn.text(gapTo)));
        }
        if (epochs.now() != epochs.before()) {
            notes.add(
                    "a raw topic was deleted and made again, or nobody can tell: the epoch is %d from now on, it was %d"
                            .formatted(epochs.now(), epochs.before()));
        }
        return notes;
    }

    /** What was deleted from a table before it was read cannot be published, and cannot be counted. */
    private void gone(Report.Compared both, List<String> notes) {
        Optional<Instant> captured = standing.last().map(last -> Instant.ofEpochMilli(last.timestampMs()));
        Optional<Instant> oldest = both.events().oldest();
        if (captured.isPresent()
                && oldest.filter(first -> first.isAfter(captured.get())).isPresent()) {
            notes.add(
                    "the oldest event in the table was written at %s, the last position at %s: rows written in between, if there were any, are no longer in the table and cannot be published"
                            .formatted(oldest.get(), captured.get()));
        }
        if (captured.isEmpty() || oldest.isEmpty()) {
            notes.add("rows that were deleted from the tables before now, if there were any, cannot be published");
        }
    }
}
