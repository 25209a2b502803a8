package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.contract.redact.Veil;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.Halt;
import io.tailrace.operations.Halts;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dlq show}: the whole trail of one row. */
@Command(
        name = "show",
        description = "Show one dead letter with its whole trail.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace dlq show 0190b7a0-0000-7000-8000-000000000001",
            "  tailrace dlq show 0190b7a0-0000-7000-8000-000000000001 --payload"
        })
final class DlqShowVerb implements Callable<Integer> {

    /** Headers that hold milliseconds since 1970. */
    private static final Set<String> INSTANTS =
            Set.of(HeaderName.NOT_BEFORE.key(), HeaderName.FAILED_AT.key(), HeaderName.FIRST_FAILED_AT.key());

    @Mixin
    private final ConfigOption config = new ConfigOption();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "<row id>", description = "The row.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private String rowId;

    @Option(names = "--payload", description = "Print the payload too, without its secrets.")
    private boolean payload;

    @Override
    public Integer call() {
        TailraceConfig read = config.readReaching(Server.KAFKA);
        DeadLetters deadLetters = new DeadLetters(read);
        List<DeadLetter> found = new ArrayList<>();
        for (String x : DeadLetterSelection.everyX(read)) {
            deadLetters.find(x, rowId).ifPresent(found::add);
        }
        if (found.isEmpty()) {
            throw new VerbFailed("no dead letter of row " + rowId);
        }
        for (DeadLetter letter : found) {
            // One by one: several subscriptions may have a letter of one event.
            Halts halts = deadLetters.halts(List.of(letter));
            output.one(row(
                    letter, halts.at(letter), secretsOf(letter, read.redact().secrets())));
            DlqListVerb.tell(output, halts);
        }
        return Exit.DONE;
    }

    /** It may have been written before they were named. */
    private static SecretPaths secretsOf(DeadLetter letter, Secrets secrets) {
        return letter.x().equals(Topics.COMMANDS) ? secrets.ofCommand(letter.name()) : secrets.ofEvent(letter.name());
    }

    private Row row(DeadLetter letter, Optional<Halt> halt, SecretPaths secrets) {
        Headers headers = secrets.cut(letter.headers());
        Row row = DlqListVerb.row(new DeadLetters.Head(letter, letter.value().length()), halt, true)
                .with("payload", letter.payload().name().toLowerCase(java.util.Locale.ROOT));
        if (output.isJson()) {
            row.with("headers", headers(headers));
        } else {
            headers.entries().forEach(entry -> row.with(entry.key(), readable(entry)));
        }
        if (payload && letter.payload() == DeadLetter.Payload.INLINE) {
            String type = headers.text(HeaderName.CONTENT_TYPE).orElse(null);
            row.with(
                    "value",
                    secrets.cut(letter.value(), type).map(DlqShowVerb::text).orElse(Veil.HIDDEN));
        }
        return row;
    }

    private static Map<String, @Nullable String> headers(Headers headers) {
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        headers.entries().forEach(entry -> texts.put(entry.key(), value(entry)));
        return texts;
    }

    private static @Nullable String value(Headers.Entry entry) {
        Bytes value = entry.value();
        return value == null ? null : value.utf8();
    }

    /** As it stands in the record; an instant with its milliseconds spelt out. */
    private static @Nullable String readable(Headers.Entry entry) {
        String value = value(entry);
        if (value == null || !INSTANTS.contains(entry.key()) || !value.matches("\\d{1,15}")) {
            return value;
        }
        return "%s (%s)".formatted(Instant.ofEpochMilli(Long.parseLong(value)), value);
    }

    /** Text as it is; what is not UTF-8 as {@code \x} and hex. */
    private static String text(Bytes value) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value.array()))
                    .toString();
        } catch (CharacterCodingException binary) {
            return "\\x" + HexFormat.of().formatHex(value.array());
        }
    }
}
