package io.tailrace.contract.config;

import io.tailrace.contract.config.Section.Value;
import io.tailrace.contract.name.TableNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code source:}, or {@code sources:} with several of them. */
final class SourceReader {

    private static final String ONE = "source";
    private static final String SEVERAL = "sources";

    private SourceReader() {}

    /** Reads both if both are there: whatever is wrong with them is said at once. */
    static Value<List<SourceConfig>> read(Section top) {
        boolean both = top.has(ONE) && top.has(SEVERAL);
        if (both) {
            top.report(SEVERAL, "stands beside source: move that one into the list, and delete it there");
        }
        Value<List<SourceConfig>> one = top.has(ONE) || !top.has(SEVERAL) ? one(top) : Value.missing();
        Value<List<SourceConfig>> several = top.has(SEVERAL) ? several(top) : Value.missing();
        if (both) {
            return Value.missing();
        }
        return top.has(SEVERAL) ? several : one;
    }

    private static Value<List<SourceConfig>> one(Section top) {
        Value<SourceConfig> source = source(top.section(ONE), Keys.SOURCE);
        return top.make(() -> List.of(source.get()));
    }

    private static Value<List<SourceConfig>> several(Section top) {
        List<Value<SourceConfig>> sources = new ArrayList<>();
        Map<String, SourceConfig> readable = new LinkedHashMap<>();
        for (Section element : top.filledList(SEVERAL, "lists no source")) {
            Value<SourceConfig> source = source(element, Keys.SOURCES);
            sources.add(source);
            if (source.orNull() != null) {
                readable.put(element.path(), source.get());
            }
        }
        Map<String, String> conflicts = SourceConflicts.of(readable);
        conflicts.forEach(top::report);
        return sources.isEmpty() || !conflicts.isEmpty()
                ? Value.missing()
                : top.make(() -> sources.stream().map(Value::get).toList());
    }

    private static Value<SourceConfig> source(Section section, SourceKeys keys) {
        Value<String> host = section.value(keys.host);
        Value<Integer> port = section.value(keys.port);
        Value<String> database = section.value(keys.database);
        Value<String> name = section.has(SourceKeys.NAME) ? section.value(keys.name) : database;
        Value<String> user = section.value(keys.user);
        Value<String> password = section.value(keys.password);
        Value<String> sslMode = section.value(keys.sslMode);
        Section below = section.section("tables");
        Value<String> schema = below.value(keys.schema);
        Value<String> outbox = below.value(keys.outbox);
        Value<String> internalCommand = below.value(keys.internalCommand);
        Value<TableNames> tables = below.make(() -> new TableNames(schema.get(), outbox.get(), internalCommand.get()));
        return section.make(() -> new SourceConfig(
                name.get(),
                host.get(),
                port.get(),
                database.get(),
                user.get(),
                Secret.of(password.get()),
                sslMode.get(),
                tables.get()));
    }
}
