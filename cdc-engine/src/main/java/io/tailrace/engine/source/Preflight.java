package io.tailrace.engine.source;

import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.source.Position.Ties;
import io.tailrace.engine.source.SourceFacts.Owner;
import io.tailrace.engine.source.SourceFacts.Publication;
import io.tailrace.engine.source.SourceFacts.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
        List<Problem> problems = new ArrayList<>(ground(facts));
        if (facts.owner().filter(owner -> !isOurs(owner)).isEmpty()) {
            facts.slot().ifPresent(found -> slot(found, facts, problems));
        }
        return List.copyOf(problems);
    }

    /** What must be so whatever became of slot and position. */
    public List<Problem> ground(SourceFacts facts) {
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
        // Without an owner nothing was migrated, and the migration makes it.
        if (facts.owner().isPresent() || facts.publication().isPresent()) {
            problems.addAll(new PublicationRules(publicationName, tables, columns).problems(facts));
        }
        facts.slot().filter(found -> !isUsable(found)).ifPresent(found -> problems.add(foreign(found)));
        return List.copyOf(problems);
    }

    /**
     * Where to start.
     *
     * @param position the last one in Kafka
     * @param rawEvents id of the topic of that name as it is there now
     * @param rawCommands the same of the commands
     */
    public Start start(SourceFacts facts, Optional<Position> position, String rawEvents, String rawCommands) {
        Ties now = new Ties(facts.publication().map(Publication::id).orElse(""), rawEvents, rawCommands);
        if (position.isPresent()) {
            List<Problem> problems = positional(facts, position.get());
            remade(facts, position.get(), now, problems);
            return problems.isEmpty()
                    ? new Start.Resume(
                            position.get().onTimeline(facts.timeline()).tiedTo(now))
                    : new Start.Refused(problems);
        }
        Optional<Slot> slot = facts.slot();
        if (slot.isEmpty()) {
            return refused(slotMissing(facts));
        }
        long begin = slot.get().confirmedLsn();
        if (facts.owner().map(Owner::started).orElse(false)) {
            return refused(
                    "The position of slot %s is lost: rows were captured before, and the positions topic has no record of how far."
                                    .formatted(slotName)
                            + " The slot itself is confirmed up to %s; rows after that may be in the raw topics already, or not."
                                    .formatted(Lsn.text(begin))
                            + WayOut.of(begin, facts.flushLsn())
                            + WayOut.or("restore the topic of the positions, if there is a copy of it"));
        }
        Optional<Long> created = facts.owner().flatMap(Owner::slotCreatedLsn);
        if (created.isPresent() && Lsn.compare(begin, created.get()) > 0) {
            return refused(
                    "Slot %s was moved before anything was read from it: it was made at %s and is confirmed up to %s."
                                    .formatted(slotName, Lsn.text(created.get()), Lsn.text(begin))
                            + " Rows committed in between were captured by nobody; they are still in the tables. Whoever"
                            + " reads from this slot must stop."
                            + WayOut.of(created.get(), begin));
        }
        return new Start.Seed(Position.seed(facts.systemId(), facts.timeline(), slotName, begin)
                .tiedTo(now));
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

    private boolean isUsable(Slot found) {
        return found.type().equals("logical")
                && found.plugin().equals("pgoutput")
                && found.database().equals(database);
    }

    private Problem foreign(Slot found) {
        return refusal(
                "Slot %s is a %s slot of plugin '%s' in database '%s'; it must be logical, pgoutput, in '%s'. The names of slots"
                                .formatted(slotName, found.type(), found.plugin(), found.database(), database)
                        + " are the server's, and it may be another application's. If nobody needs it: SELECT"
                        + " pg_drop_replication_slot('%s'), then: tailrace engine recover --from-table"
                                .formatted(slotName));
    }

    /** One that is merely {@code unreserved} can still be read, and reading it is what saves it. */
    private void slot(Slot found, SourceFacts facts, List<Problem> problems) {
        boolean lost = found.walStatus().equals("lost") || !found.invalidation().isEmpty();
        if (isUsable(found) && lost) {
            problems.add(
                    refusal(
                            "Slot %s is invalidated (wal_status %s%s): the server has thrown away log that was not read yet."
                                            .formatted(
                                                    slotName,
                                                    found.walStatus(),
                                                    found.invalidation().isEmpty() ? "" : ", " + found.invalidation())
                                    + " Rows committed after %s may be missing from the raw topics; they are still in the tables."
                                            .formatted(Lsn.text(found.confirmedLsn()))
                                    + WayOut.of(found.confirmedLsn(), facts.flushLsn())
                                    + "\n  So that it does not happen again: raise max_slot_wal_keep_size, and look at what kept the engine away"));
        }
    }

    private List<Problem> positional(SourceFacts facts, Position position) {
        long known = position.commitLsn();
        if (!position.systemId().equals(facts.systemId())) {
            List<Problem> another = new ArrayList<>();
            another.add(
                    refusal("This is another database cluster: its system id is %s, the last position was taken on %s."
                                    .formatted(facts.systemId(), position.systemId())
                            + " LSNs of two clusters do not compare, so only the rows themselves tell what the raw topics lack."
                            + WayOut.since(Lsn.text(known) + " of the other cluster", facts.flushLsn())
                            + WayOut.or("connect to the cluster you meant")));
            return another;
        }
        List<Problem> problems = new ArrayList<>();
        if (position.timeline() != facts.timeline()) {
            timeline(facts, position, problems);
        }
        Optional<Slot> slot = facts.slot();
        if (slot.isEmpty()) {
            problems.add(refusal(
                    "Slot %s is gone. Rows committed after %s were captured by nobody; they are still in the tables. A new slot alone would leave that gap."
                                    .formatted(slotName, Lsn.text(known))
                            + WayOut.of(known, facts.flushLsn())));
        } else if (Lsn.compare(slot.get().confirmedLsn(), known) > 0) {
            long confirmed = slot.get().confirmedLsn();
            problems.add(refusal(
                    "Slot %s is confirmed up to %s, the last position in Kafka is %s: somebody moved or re-created the slot."
                                    .formatted(slotName, Lsn.text(confirmed), Lsn.text(known))
                            + " Rows committed between %s and %s were captured by nobody; they are still in the tables."
                                    .formatted(Lsn.text(known), Lsn.text(confirmed))
                            + WayOut.of(known, confirmed)));
        }
        if (problems.isEmpty() && !facts.inRecovery() && Lsn.compare(known, facts.flushLsn()) > 0) {
            problems.add(refusal(
                    "The last position in Kafka is %s, but the log of the database ends at %s: it was restored from a backup."
                                    .formatted(Lsn.text(known), Lsn.text(facts.flushLsn()))
                            + " New rows would be taken for old ones and skipped; rows that the database has forgotten are in the"
                            + " raw topics."
                            + WayOut.of(facts.flushLsn(), known)));
        }
        return problems;
    }

    /** What has the old name and is another thing. */
    private void remade(SourceFacts facts, Position position, Ties now, List<Problem> problems) {
        Ties then = position.ties();
        if (differ(then.publication(), now.publication())) {
            problems.add(refusal(
                    "Publication %s was dropped and made again since the last position (%s): what was committed before it was made cannot be read through it, and some servers pass over such rows without a word."
                                    .formatted(publicationName, Lsn.text(position.commitLsn()))
                            + WayOut.of(position.commitLsn(), facts.flushLsn())));
        }
        for (String topic : remadeTopics(then, now)) {
            problems.add(refusal(
                    "Topic %s was deleted and made again since the last position (%s): the rows that it held are gone, those that the router had not read among them. No gap in the log, but one in the topic."
                                    .formatted(topic, Lsn.text(position.commitLsn()))
                            + " Recovery raises the epoch, so that new rows sort behind old ones."
                            + WayOut.of(position.commitLsn(), facts.flushLsn())
                            + "\n  --from-table publishes every row of the tables that the new topic lacks, also those that were delivered"
                            + "\n  from the old one; --since leaves out rows older than an instant"));
        }
    }

    private List<String> remadeTopics(Ties then, Ties now) {
        List<String> remade = new ArrayList<>();
        if (differ(then.rawEvents(), now.rawEvents())) {
            remade.add(namespace + ".raw.events");
        }
        if (differ(then.rawCommands(), now.rawCommands())) {
            remade.add(namespace + ".raw.commands");
        }
        return remade;
    }

    private static boolean differ(String then, String now) {
        return !then.isEmpty() && !now.isEmpty() && !then.equals(now);
    }

    private static void timeline(SourceFacts facts, Position position, List<Problem> problems) {
        long known = position.commitLsn();
        Optional<Long> end = facts.history().stream()
                .filter(past -> past.timeline() == position.timeline())
                .map(SourceFacts.TimelineSwitch::endLsn)
                .findAny();
        if (end.isEmpty()) {
            problems.add(refusal(
                    "The database is on timeline %d, which does not descend from timeline %d of the last position (%s): the same log was continued twice, and this is the other continuation."
                                    .formatted(facts.timeline(), position.timeline(), Lsn.text(known))
                            + WayOut.since(Lsn.text(known) + " of timeline " + position.timeline(), facts.flushLsn())
                            + WayOut.or("connect to the server you meant")));
        } else if (Lsn.compare(known, end.get()) > 0 || Lsn.compare(position.lsn(), end.get()) > 0) {
            problems.add(refusal(
                    "The database left timeline %d at %s, before the last position in Kafka (%s): rows after that are in the"
                                    .formatted(position.timeline(), Lsn.text(end.get()), Lsn.text(known))
                            + " raw topics although this database has forgotten them."
                            + WayOut.of(end.get(), known)));
        }
    }

    private String slotMissing(SourceFacts facts) {
        long from = facts.owner().flatMap(Owner::slotCreatedLsn).orElse(0L);
        if (facts.owner().map(Owner::started).orElse(false)) {
            return "Slot %s is gone, and so is its position: nobody knows how far rows were captured. Only the raw topics and the tables can tell."
                            .formatted(slotName)
                    + WayOut.of(from, facts.flushLsn());
        }
        String rows = facts.rowsExist().orElse(true)
                ? " The tables hold rows already, which nobody captured: a new slot alone will not see them."
                : "";
        return "Slot %s is missing.%s".formatted(slotName, rows) + WayOut.of(from, facts.flushLsn());
    }

    private static Start refused(String text) {
        return new Start.Refused(List.of(refusal(text)));
    }

    static Problem refusal(String text) {
        return new Problem(text, false);
    }
}
