package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.engine.recover.Order;
import io.tailrace.engine.recover.Report;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a recovery did, for people and for programs. */
final class RecoveryOutput {

    private RecoveryOutput() {}

    static void tell(Output output, Report report) {
        if (output.isJson()) {
            output.json(json(report));
            return;
        }
        Row row = new Row().with("slot", report.slot()).with("gap", report.gapFrom() + " to " + report.gapTo());
        report.compared().ifPresent(both -> compared(row, both));
        if (report.order().dryRun()) {
            row.with("done", "nothing, this is a dry run");
        } else {
            boolean published = report.order().way() == Order.Way.FROM_TABLE;
            row.with(
                    "done",
                    published
                            ? "published %,d events and %,d commands, and told of %,d commands that wait"
                                    .formatted(
                                            report.publishedEvents(),
                                            report.publishedCommands(),
                                            report.publishedActs())
                            : "nothing was published; the gap is noted in the operations topic");
            row.with("position", report.position()).with("next", "start the engines");
        }
        output.one(row);
        report.notes().forEach(note -> output.err().println("note: " + note));
    }

    private static void compared(Row row, Report.Compared both) {
        row.with(
                "events",
                "%,d rows, %,d records in the raw topic, %,d rows lack one"
                        .formatted(
                                both.events().inTable(),
                                both.rawEvents(),
                                both.events().lacking()));
        row.with(
                "commands",
                "%,d rows pending, %,d records in the raw topic, %,d pending rows lack one"
                        .formatted(
                                both.commands().pending(),
                                both.rawCommands(),
                                both.commands().lacking()));
    }

    private static Map<String, @Nullable Object> json(Report report) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("way", report.order().way().text());
        json.put("dryRun", report.order().dryRun());
        json.put("slot", report.slot());
        json.put("fromLsn", report.gapFrom());
        json.put("toLsn", report.gapTo());
        json.put("reasons", report.refusals());
        json.put("events", report.compared().map(RecoveryOutput::events).orElse(null));
        json.put("commands", report.compared().map(RecoveryOutput::commands).orElse(null));
        json.put("publishedEvents", report.publishedEvents());
        json.put("publishedCommands", report.publishedCommands());
        json.put("publishedActs", report.publishedActs());
        json.put("epochBefore", report.epochBefore());
        json.put("epoch", report.epoch());
        json.put("position", report.position().orElse(null));
        json.put("notes", report.notes());
        return json;
    }

    private static Map<String, @Nullable Object> events(Report.Compared both) {
        return new Row()
                .with("inTable", both.events().inTable())
                .with("inTopic", both.rawEvents())
                .with("lacking", both.events().lacking())
                .with("older", both.events().older())
                .cells();
    }

    private static Map<String, @Nullable Object> commands(Report.Compared both) {
        return new Row()
                .with("pending", both.commands().pending())
                .with("inTopic", both.rawCommands())
                .with("lacking", both.commands().lacking())
                .with("underWay", both.commands().underWay())
                .with("settled", both.commands().settled())
                .cells();
    }
}
