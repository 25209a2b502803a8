package io.tailrace.engine.source;

import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.source.Preflight.Problem;
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
 * Whether a publication would pass rows over. The server says nothing of any of this to whoever reads through it.
 *
 * @param publication its name
 * @param tables that must be published
 * @param columns that must be published of each, by table name
 */
record PublicationRules(String publication, TableNames tables, Map<String, Set<String>> columns) {

    List<Problem> problems(SourceFacts facts) {
        List<Problem> problems = new ArrayList<>();
        facts.publication().ifPresentOrElse(found -> look(found, problems), () -> problems.add(missing(facts)));
        return problems;
    }

    private void look(Publication found, List<Problem> problems) {
        if (!found.insert()) {
            problems.add(altered(
                    "does not publish INSERT: rows would pass without a sign", "SET (publish = 'insert')", true));
        } else if (found.update() || found.delete() || found.truncate()) {
            problems.add(
                    altered("publishes more than INSERT: clean-up would flood it", "SET (publish = 'insert')", false));
        }
        if (!found.viaRoot()) {
            problems.add(altered(
                    "does not publish partitions as their root table: a partitioned outbox would not be captured",
                    "SET (publish_via_partition_root = true)",
                    true));
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
                        "DROP TABLE " + TableNames.quoted(table.schema()) + "." + TableNames.quoted(table.name()),
                        false)));
    }

    private Problem unpublished(String table) {
        return refusal(
                "Publication %s does not publish %s: its rows would pass without a sign. Rows that were committed while it"
                                .formatted(publication, tables.qualified(table))
                        + " was missing are not captured even when it is back. "
                        + restore()
                        + WayOut.AFTERWARDS);
    }

    private void published(Table table, List<Problem> problems) {
        if (table.filtered()) {
            problems.add(refusal("Publication %s filters the rows of %s: some would pass without a sign. %s%s"
                    .formatted(publication, tables.qualified(table.name()), restore(), WayOut.AFTERWARDS)));
        }
        Set<String> missing = new TreeSet<>(columns.getOrDefault(table.name(), Set.of()));
        missing.removeAll(table.columns());
        if (!missing.isEmpty()) {
            problems.add(refusal(
                    "Publication %s leaves out columns of %s that are captured: %s. Rows captured meanwhile lack them. %s"
                            .formatted(
                                    publication,
                                    tables.qualified(table.name()),
                                    String.join(", ", missing),
                                    restore())));
        }
    }

    private Problem missing(SourceFacts facts) {
        Optional<Slot> slot = facts.slot();
        long from = slot.map(Slot::confirmedLsn).orElse(0L);
        return refusal(
                "Publication %s is missing: rows committed since it was dropped were captured by nobody. Run: CREATE PUBLICATION %s FOR TABLE %s, %s WITH (publish = 'insert', publish_via_partition_root = true)"
                                .formatted(
                                        publication,
                                        TableNames.quoted(publication),
                                        published(tables.outbox()),
                                        published(tables.internalCommand()))
                        + WayOut.then(from, facts.flushLsn()));
    }

    /** The statement that makes the publication what the migration made it. */
    private String restore() {
        return "Run: ALTER PUBLICATION %s SET TABLE %s, %s"
                .formatted(
                        TableNames.quoted(publication),
                        published(tables.outbox()),
                        published(tables.internalCommand()));
    }

    private String published(String table) {
        return columns.getOrDefault(table, Set.of()).stream()
                .sorted()
                .map(TableNames::quoted)
                .collect(Collectors.joining(", ", tables.qualified(table) + " (", ")"));
    }

    private Problem altered(String what, String alteration, boolean rowsPassed) {
        return refusal("Publication %s %s. Run: ALTER PUBLICATION %s %s%s"
                .formatted(
                        publication,
                        what,
                        TableNames.quoted(publication),
                        alteration,
                        rowsPassed ? WayOut.AFTERWARDS : ""));
    }

    private static Problem refusal(String text) {
        return Preflight.refusal(text);
    }
}
