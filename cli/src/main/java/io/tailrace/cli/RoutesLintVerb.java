package io.tailrace.cli;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.broker.TopicTail;
import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.redact.SecretPaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code routes lint}: fields and headers of recent rows whose names look like secrets and that no path names. Prints names only. */
@Command(
        name = "lint",
        description = {
            "Warn about fields and headers of recent rows that look like secrets and have no path under redact.",
            "Reads a sample of the raw topics; prints names, never values. Ends with 1 if there is anything to warn of."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace routes lint --rows 10000"})
final class RoutesLintVerb implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Mixin
    private final ConfigOption config = new ConfigOption();

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--rows",
            paramLabel = "<N>",
            defaultValue = "1000",
            description = "Newest records to read of each raw topic (default: 1000).")
    private int rows;

    private int read;

    @Override
    public Integer call() {
        TailraceConfig all = config.readReaching(Server.KAFKA);
        Map<String, Integer> found = new TreeMap<>();
        sample(
                all,
                all.topicNames().rawEvents(),
                "event",
                name -> all.redact().secrets().ofEvent(name),
                found);
        sample(
                all,
                all.topicNames().rawCommands(),
                "command",
                name -> all.redact().secrets().ofCommand(name),
                found);
        List<Row> warnings = new ArrayList<>();
        found.forEach((where, count) -> {
            String[] parts = where.split(" ", 3);
            warnings.add(new Row()
                    .with("kind", parts[0])
                    .with("name", parts[1])
                    .with("path", parts[2])
                    .with("rows", count));
        });
        output.list(warnings, "nothing looks like a secret without a path in %d records".formatted(read));
        if (!warnings.isEmpty()) {
            output.err()
                    .println(
                            ("%d fields look like secrets and have no path in %d records: name them under redact, or pass"
                                            + " them over if they are none")
                                    .formatted(warnings.size(), read));
        }
        return warnings.isEmpty() ? Exit.DONE : Exit.FAILED;
    }

    private void sample(
            TailraceConfig all,
            String topic,
            String kind,
            Function<String, SecretPaths> pathsOf,
            Map<String, Integer> found) {
        TopicTail.read(all.kafka(), topic, Math.max(1, rows), PATIENCE, record -> {
            Headers headers = KafkaHeaders.from(record.headers());
            String name = headers.text(HeaderName.CE_TYPE).orElse("");
            boolean isRow =
                    headers.kind().filter(each -> each.text().equals(kind)).isPresent();
            if (!isRow || name.isEmpty()) {
                return;
            }
            read++;
            for (String path : suspects(record, headers, pathsOf.apply(name))) {
                found.merge("%s %s %s".formatted(kind, name.replace(' ', '_'), path), 1, Integer::sum);
            }
        });
    }

    private static List<String> suspects(ConsumerRecord<byte[], byte[]> record, Headers headers, SecretPaths paths) {
        List<String> suspects = new ArrayList<>();
        byte[] value = record.value();
        if (value != null) {
            // What the paths cannot be applied to is shown to nobody.
            paths.cut(Bytes.of(value), headers.text(HeaderName.CONTENT_TYPE).orElse(null))
                    .ifPresent(left -> suspects.addAll(SuspectNames.ofJson(left.array())));
        }
        headers.entries().stream()
                .map(Headers.Entry::key)
                .filter(key -> !HeaderName.isReserved(key) && !paths.isSecretHeader(key))
                .filter(SuspectNames::isSuspect)
                .forEach(key -> suspects.add("headers." + key));
        return suspects;
    }
}
