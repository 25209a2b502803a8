package io.tailrace.executor.run;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.record.Bytes;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.PayloadUnreadable;
import io.tailrace.executor.handler.Upcaster;
import io.tailrace.executor.handler.Upcasters;
import io.tailrace.executor.handler.Versions;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes of a payload what its handler asks for. What it says of one that cannot be read names field and position, and never what stands there:
 * Jackson's own messages quote it. Immutable.
 */
final class PayloadReader {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .findAndAddModules()
            .build();

    /** Names of fields are the payload's; those of a map may be anything. */
    private static final int LONGEST_FIELD = 100;

    private final Upcasters all;

    PayloadReader(Upcasters upcasters) {
        this.all = upcasters;
    }

    /**
     * The version that upcasters bring a row to, for its handler.
     *
     * @param stated of an event; that of a command stands in its name
     */
    int version(CommandRow row, OptionalInt stated, CommandHandler handler) {
        return versionOf(row, stated) + upcasters(row, stated, handler).size();
    }

    <T> T read(CommandRow row, OptionalInt stated, CommandHandler handler, Class<T> type) throws PayloadUnreadable {
        Bytes bytes = row.payload();
        if (bytes == null) {
            throw new PayloadUnreadable(row.name() + " has no payload, its handler asks for " + type.getName());
        }
        List<Upcaster> upcasters = upcasters(row, stated, handler);
        T value;
        try {
            value = upcasters.isEmpty()
                    ? JSON.readValue(bytes.array(), type)
                    : JSON.treeToValue(upcast(JSON.readTree(bytes.array()), upcasters), type);
        } catch (JsonProcessingException mismatch) {
            throw new PayloadUnreadable(
                    "the payload cannot be read as %s: %s".formatted(type.getName(), problem(mismatch)));
        } catch (IOException notFromAnArray) {
            throw new IllegalStateException("reading an array failed", notFromAnArray);
        }
        if (value == null) {
            throw new PayloadUnreadable("the payload is null, the handler asks for " + type.getName());
        }
        return value;
    }

    private static JsonNode upcast(JsonNode payload, List<Upcaster> upcasters) throws PayloadUnreadable {
        JsonNode current = payload;
        for (Upcaster upcaster : upcasters) {
            try {
                current = upcaster.upcast(current);
            } catch (RuntimeException refused) {
                // Its message may quote the payload.
                throw new PayloadUnreadable("version %d of %s cannot be made a version %d: %s threw %s"
                        .formatted(
                                upcaster.from(),
                                upcaster.name(),
                                upcaster.from() + 1,
                                upcaster.getClass().getName(),
                                refused.getClass().getName()));
            }
        }
        return current;
    }

    private List<Upcaster> upcasters(CommandRow row, OptionalInt stated, CommandHandler handler) {
        int last = handler.versions().map(Versions::to).orElse(Integer.MAX_VALUE);
        return nameOf(row)
                .map(name -> all.chain(String.join(".", name.segments()), versionOf(row, stated), last))
                .orElse(List.of());
    }

    private static int versionOf(CommandRow row, OptionalInt stated) {
        return nameOf(row).map(name -> name.version(stated).orElse(1)).orElse(1);
    }

    /** What is the name of an event could be that of a command. */
    private static Optional<RowName> nameOf(CommandRow row) {
        return RowName.command(row.name()).name();
    }

    private static String problem(JsonProcessingException mismatch) {
        String where = field(mismatch) + position(mismatch);
        String kind = mismatch.getClass().getSimpleName();
        if (mismatch instanceof InvalidDefinitionException definition) {
            return "Jackson cannot make a %s%s (%s)".formatted(definition.getType(), where, kind);
        }
        if (mismatch instanceof ValueInstantiationException refused) {
            return "%s refuses it%s (%s)"
                    .formatted(refused.getType().getRawClass().getName(), where, kind);
        }
        if (mismatch instanceof MismatchedInputException input && input.getTargetType() != null) {
            return "it does not fit %s%s (%s)".formatted(input.getTargetType().getTypeName(), where, kind);
        }
        return "it is no JSON%s (%s)".formatted(where, kind);
    }

    private static String field(JsonProcessingException mismatch) {
        if (!(mismatch instanceof JsonMappingException mapping)
                || mapping.getPath().isEmpty()) {
            return "";
        }
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference step : mapping.getPath()) {
            String name = step.getFieldName();
            if (name == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".")
                        .append(name.length() > LONGEST_FIELD ? name.substring(0, LONGEST_FIELD) + "…" : name);
            }
        }
        return " in field " + path;
    }

    private static String position(JsonProcessingException mismatch) {
        JsonLocation at = mismatch.getLocation();
        // What was upcast is read from a tree, which has no lines.
        return at == null || at.getLineNr() < 1
                ? ""
                : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
    }
}
