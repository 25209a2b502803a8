package io.tailrace.engine.source;

import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.source.SourceFacts.Owner;
import io.tailrace.engine.source.SourceFacts.Publication;
import io.tailrace.engine.source.SourceFacts.Slot;
import io.tailrace.engine.source.SourceFacts.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Whether streaming from a source would lose or double rows. Pure: facts in, problems out. Debezium and the server report next to
 * none of this: {@code START_REPLICATION} says nothing of a slot that was moved, nor of a table that the publication lost.
 *
 * @param namespace of this engine
 * @param database that it reads
 * @param slotName of this engine
 * @param publicationName of this engine
 * @param tables that must be published
 * @param columns that must be published of each, by table name
 */
public record Preflight(
        String namespace,
        String database,
        String slotName,
        String publicationName,
        TableNames tables,
        Map<String, Set<String>> columns) {

    private static final String MIGRATE = "Run: tailrace db migrate";

    /**
     * Something that stands in the way.
     *
     * @param passing whether it may pass by itself, so that waiting is right
     */
    public record Problem(String text, boolean passing) {}

    /** What to do about the position. */
    public sealed interface Start {
        /** Go on from there. */
        record Resume(Position from) implements Start {}

        /** Nothing was ever read: begin where the slot begins. */
        record Seed(Position from) implements Start {}

        /** Neither can be done without losing or doubling rows. */
        record Refused(List<Problem> problems) implements Start {}
    }

    public Preflight {
        columns = Map.copyOf(columns);
    }

    /** What can be said before the position is known. */
    public List<Problem> problems(SourceFacts facts) {
        List<Problem> problems = new ArrayList<>();
        if (facts.inRecovery()) {
            problems.add(new Problem("The database is in recovery: it is a standby, or it is still starting", true));
        }
        if (!facts.walLevel().equals("logical")) {
            problems.add(refusal("wal_level is " + facts.walLevel()
                    + ". Set wal_level = logical in postgresql.conf and restart the server"));
        }
        if (facts.walSenderTimeoutMs() <= 0) {
            problems.add(
                    refusal(
                            "wal_sender_timeout is 0: a reader that vanished would hold the slot for ever. "
                                    + "Set it, 60s is the default: ALTER SYSTEM SET wal_sender_timeout = '60s'; SELECT pg_reload_conf()"));
        }
        owner(facts.owner(), problems);
        if (facts.owner().filter(owner -> !isOurs(owner)).isPresent()) {
            return List.copyOf(problems); // Publication and slot are another's, too: nothing to be said of them.
        }
        facts.publication()
                .ifPresentOrElse(
                        found -> publication(found, problems),
                        () -> problems.add(refusal("Publication " + publicationName + " is missing. " + MIGRATE)));
        facts.slot().ifPresent(found -> slot(found, problems));
        return List.copyOf(problems);
    }

    /** Where to start, given the last position in Kafka. */
    public Start start(SourceFacts facts, Optional<Position> position) {
        Optional<Slot> slot = facts.slot();
        if (slot.isEmpty()) {
            return refused(position.map(last -> slotLost(last, facts)).orElseGet(() -> slotMissing(facts)));
        }
        boolean started = facts.owner().map(Owner::started).orElse(false);
        if (position.isPresent()) {
            List<Problem> problems = positional(facts, slot.get(), position.get());
            return problems.isEmpty()
                    ? new Start.Resume(position.get().onTimeline(facts.timeline()))
                    : new Start.Refused(problems);
        }
        if (started) {
            return refused(
                    "The position of slot %s is lost: rows were captured before, and the positions topic has no record of how far."
                                    .formatted(slotName)
                            + " The slot itself is confirmed up to %s; rows after that may be in the raw topics already."
                                    .formatted(Lsn.text(slot.get().confirmedLsn()))
                            + " Restore the positions topic, or compare the raw topics with the tables before you begin anew");
        }
        Optional<Long> created = facts.owner().flatMap(Owner::slotCreatedLsn);
        long begin = slot.get().confirmedLsn();
        if (created.isPresent() && Lsn.compare(begin, created.get()) > 0) {
            return refused(
                    "Slot %s was moved before anything was read from it: it was made at %s and is confirmed up to %s."
                                    .formatted(slotName, Lsn.text(created.get()), Lsn.text(begin))
                            + " Rows committed in between were captured by nobody. Whoever reads from this slot must stop;"
                            + " then drop it and run: tailrace db migrate");
        }
        return new Start.Seed(Position.seed(facts.systemId(), facts.timeline(), slotName, begin));
    }

    private void owner(Optional<Owner> owner, List<Problem> problems) {
        if (owner.isEmpty()) {
            problems.add(refusal("%s has no row: the tables are missing or belong to nobody. %s"
                    .formatted(tables.qualified(TableNames.SOURCE), MIGRATE)));
            return;
        }
        Owner found = owner.get();
        if (!isOurs(found)) {
            problems.add(refusal(
                    ("The tables in schema %s belong to namespace '%s' with slot %s; this engine is namespace '%s' with slot"
                                    + " %s. Two engines of different namespaces or slots on the same tables publish every row twice."
                                    + " Give this application a schema of its own, or stop and retire the other one")
                            .formatted(
                                    TableNames.quoted(tables.schema()),
                                    found.namespace(),
                                    found.slot(),
                                    namespace,
                                    slotName)));
        } else if (!found.publication().equals(publicationName)) {
            problems.add(refusal("The tables in schema %s are published by %s, this engine reads %s. %s"
                    .formatted(TableNames.quoted(tables.schema()), found.publication(), publicationName, MIGRATE)));
        }
    }

    private boolean isOurs(Owner owner) {
        return owner.namespace().equals(namespace) && owner.slot().equals(slotName);
    }

    private void publication(Publication found, List<Problem> problems) {
        if (!found.insert()) {
            problems.add(
                    altered("does not publish INSERT: rows would pass without a sign", "SET (publish = 'insert')"));
        } else if (found.update() || found.delete() || found.truncate()) {
            problems.add(altered("publishes more than INSERT: clean-up would flood it", "SET (publish = 'insert')"));
        }
        if (!found.viaRoot()) {
            problems.add(altered(
                    "does not publish partitions as their root table: a partitioned outbox would not be captured",
                    "SET (publish_via_partition_root = true)"));
        }
        Set<String> ours = Set.of(tables.outbox(), tables.internalCommand());
        for (String name : new TreeSet<>(ours)) {
            found.tables().stream()
                    .filter(table -> table.schema().equals(tables.schema())
                            && table.name().equals(name))
                    .findAny()
                    .ifPresentOrElse(table -> published(table, problems), () -> problems.add(unpublished(name)));
        }
        found.tables().stream()
                .filter(table -> !table.schema().equals(tables.schema()) || !ours.contains(table.name()))
                .forEach(table -> problems.add(altered(
                        "also publishes %s.%s, which is none of Tailrace's tables"
                                .formatted(table.schema(), table.name()),
                        "DROP TABLE " + TableNames.quoted(table.schema()) + "." + TableNames.quoted(table.name()))));
    }

    private Problem unpublished(String table) {
        return refusal(
                "Publication %s does not publish %s: its rows would pass without a sign. Rows that were committed while it"
                                .formatted(publicationName, tables.qualified(table))
                        + " was missing are not captured even when it is back; compare the raw topic with the table. "
                        + restore());
    }

    private void published(Table table, List<Problem> problems) {
        if (table.filtered()) {
            problems.add(refusal("Publication %s filters the rows of %s: some would pass without a sign. %s"
                    .formatted(publicationName, tables.qualified(table.name()), restore())));
        }
        Set<String> missing = new TreeSet<>(columns.getOrDefault(table.name(), Set.of()));
        missing.removeAll(table.columns());
        if (!missing.isEmpty()) {
            problems.add(refusal("Publication %s leaves out columns of %s that are captured: %s. %s"
                    .formatted(
                            publicationName, tables.qualified(table.name()), String.join(", ", missing), restore())));
        }
    }

    private void slot(Slot found, List<Problem> problems) {
        if (!found.type().equals("logical")
                || !found.plugin().equals("pgoutput")
                || !found.database().equals(database)) {
            problems.add(refusal(
                    "Slot %s is a %s slot of plugin '%s' in database '%s'; it must be logical, pgoutput, in '%s'."
                                    .formatted(slotName, found.type(), found.plugin(), found.database(), database)
                            + " Drop it if nobody needs it, then run: tailrace db migrate"));
        } else if (!found.invalidation().isEmpty()
                || !Set.of("reserved", "extended").contains(found.walStatus())) {
            problems.add(
                    refusal(
                            "Slot %s is invalidated (wal_status %s%s): the server has thrown away log that was not read yet."
                                            .formatted(
                                                    slotName,
                                                    found.walStatus(),
                                                    found.invalidation().isEmpty() ? "" : ", " + found.invalidation())
                                    + " Rows committed after %s may be missing from the raw topics; they are still in the tables."
                                            .formatted(Lsn.text(found.confirmedLsn()))
                                    + " Raise max_slot_wal_keep_size, publish the missing rows again, drop the slot and make a new one"));
        }
    }

    private List<Problem> positional(SourceFacts facts, Slot slot, Position position) {
        if (!position.systemId().equals(facts.systemId())) {
            return List.of(
                    refusal("This is another database cluster: its system id is %s, the last position was taken on %s."
                                    .formatted(facts.systemId(), position.systemId())
                            + " LSNs of two clusters do not compare, so nobody can say which rows are in the raw topics."
                            + " Connect to the cluster you meant, or retire this namespace's positions"));
        }
        List<Problem> problems = new ArrayList<>();
        long known = position.commitLsn();
        if (position.timeline() != facts.timeline()) {
            timeline(facts, position, problems);
        }
        if (Lsn.compare(slot.confirmedLsn(), known) > 0) {
            problems.add(refusal(
                    "Slot %s is confirmed up to %s, the last position in Kafka is %s: somebody moved or re-created the slot."
                                    .formatted(slotName, Lsn.text(slot.confirmedLsn()), Lsn.text(known))
                            + " Rows committed between %s and %s were captured by nobody; they are still in the tables."
                                    .formatted(Lsn.text(known), Lsn.text(slot.confirmedLsn()))));
        }
        if (!facts.inRecovery() && Lsn.compare(known, facts.flushLsn()) > 0) {
            problems.add(refusal(
                    "The last position in Kafka is %s, but the log of the database ends at %s: it was restored from a backup."
                                    .formatted(Lsn.text(known), Lsn.text(facts.flushLsn()))
                            + " New rows would be taken for old ones and skipped"));
        }
        return problems;
    }

    private static void timeline(SourceFacts facts, Position position, List<Problem> problems) {
        Optional<Long> end = facts.history().stream()
                .filter(past -> past.timeline() == position.timeline())
                .map(SourceFacts.TimelineSwitch::endLsn)
                .findAny();
        if (end.isEmpty()) {
            problems.add(refusal(
                    "The database is on timeline %d, which does not descend from timeline %d of the last position (%s)."
                            .formatted(facts.timeline(), position.timeline(), Lsn.text(position.commitLsn()))));
        } else if (Lsn.compare(position.commitLsn(), end.get()) > 0 || Lsn.compare(position.lsn(), end.get()) > 0) {
            problems.add(refusal(
                    "The database left timeline %d at %s, before the last position in Kafka (%s): rows after that are in the"
                                    .formatted(position.timeline(), Lsn.text(end.get()), Lsn.text(position.commitLsn()))
                            + " raw topics although this database has forgotten them"));
        }
    }

    private String slotLost(Position position, SourceFacts facts) {
        return "Slot %s is gone. Rows committed after %s were captured by nobody; they are still in the tables. The log ends at %s now."
                        .formatted(slotName, Lsn.text(position.commitLsn()), Lsn.text(facts.flushLsn()))
                + " A new slot would begin later and leave that gap, so publish the missing rows again before you make one";
    }

    private String slotMissing(SourceFacts facts) {
        String rows = facts.rowsExist().orElse(false)
                ? " The tables hold rows already, which nobody captured: a new slot will not see them."
                : "";
        return "Slot %s is missing.%s %s".formatted(slotName, rows, MIGRATE);
    }

    /** The statement that makes the publication what the migration made it. */
    private String restore() {
        return "Run: ALTER PUBLICATION %s SET TABLE %s, %s"
                .formatted(
                        TableNames.quoted(publicationName),
                        published(tables.outbox()),
                        published(tables.internalCommand()));
    }

    private String published(String table) {
        return columns.getOrDefault(table, Set.of()).stream()
                .sorted()
                .map(TableNames::quoted)
                .collect(Collectors.joining(", ", tables.qualified(table) + " (", ")"));
    }

    private Problem altered(String what, String alteration) {
        return refusal("Publication %s %s. Run: ALTER PUBLICATION %s %s"
                .formatted(publicationName, what, TableNames.quoted(publicationName), alteration));
    }

    private static Start refused(String text) {
        return new Start.Refused(List.of(refusal(text)));
    }

    private static Problem refusal(String text) {
        return new Problem(text, false);
    }
}
