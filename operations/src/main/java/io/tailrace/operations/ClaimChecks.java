package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.header.WireSize;
import io.tailrace.contract.record.Bytes;
import io.tailrace.operations.EventRows.Content;
import io.tailrace.operations.EventRows.Found;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;

/**
 * Dead letters of events whose payload stayed in the outbox, because it did not fit or because the row has secrets: whether it can be had
 * and fits now, and the letter with it. What the outbox has no more is looked for in the raw topic. One for each replay; used by one thread.
 */
final class ClaimChecks implements AutoCloseable {

    private final TailraceConfig config;

    /** By {@code ce_source}. */
    private final Map<String, EventRows> sources = new LinkedHashMap<>();

    private final Map<String, Found> found = new HashMap<>();

    private final RawCopies raw;

    /** By {@code ce_source}: why nothing can be read there. */
    private final Map<String, String> troubles = new HashMap<>();

    private String tooSmall = "";

    ClaimChecks(TailraceConfig config) {
        this.config = config;
        this.raw = new RawCopies(config);
        config.eachSource().forEach(one -> sources.put(one.ceSource(), new EventRows(one.source())));
    }

    /** Looks at the rows of those letters that lack their payload. Nobody else's replay depends on whether that works. */
    List<DeadLetter> look(List<DeadLetter> letters) {
        found.clear();
        troubles.clear();
        Map<String, List<UUID>> claims = new LinkedHashMap<>();
        for (DeadLetter letter : letters) {
            if (letter.needsItsRow() && sources.containsKey(letter.source())) {
                CommandRows.uuid(letter.rowId())
                        .ifPresent(id -> claims.computeIfAbsent(letter.source(), source -> new ArrayList<>())
                                .add(id));
            }
        }
        tooSmall = claims.isEmpty() ? "" : topicsThatAreTooSmall(letters.get(0).x());
        claims.forEach(this::look);
        letters.stream().filter(this::isLookedForInTheRawTopic).forEach(this::lookInTheRawTopic);
        return letters;
    }

    private boolean isLookedForInTheRawTopic(DeadLetter letter) {
        return letter.needsItsRow()
                && sources.containsKey(letter.source())
                && !troubles.containsKey(letter.source())
                && found(letter).rows() == 0;
    }

    private void lookInTheRawTopic(DeadLetter letter) {
        raw.find(letter).ifPresent(content -> {
            Bytes payload = content.payload();
            found.put(letter.rowId(), new Found(1, payload == null ? 0 : payload.length()));
        });
    }

    private void look(String source, List<UUID> ids) {
        try {
            found.putAll(Objects.requireNonNull(sources.get(source)).look(ids));
        } catch (OperationFailed failed) {
            troubles.put(source, String.valueOf(failed.getMessage()));
        }
    }

    /** What a letter and its payload take in memory. */
    long weight(DeadLetter letter) {
        long payload = letter.needsItsRow()
                ? found(letter).payloadBytes()
                : letter.value().length();
        return payload + letter.headers().sizeInBytes();
    }

    /** Whether it would be replayed, as far as a look tells. */
    Row judged(DeadLetter letter) {
        return refusal(letter, found(letter).payloadBytes()).orElseGet(() -> new Row(letter, Outcome.WOULD_REPLAY));
    }

    /** The letter with its payload; empty when the row has changed since the look so that it cannot be had. */
    Optional<DeadLetter> redeemed(DeadLetter letter) {
        EventRows rows = Objects.requireNonNull(sources.get(letter.source()));
        return CommandRows.uuid(letter.rowId())
                .flatMap(rows::content)
                .or(() -> raw.find(letter))
                .flatMap(content -> redeemed(letter, content));
    }

    private Optional<DeadLetter> redeemed(DeadLetter letter, Content content) {
        boolean hasNone = letter.payload() == DeadLetter.Payload.NULL;
        Bytes payload = hasNone ? letter.value() : content.payload();
        return payload == null || refusal(letter, payload.length()).isPresent()
                ? Optional.empty()
                : Optional.of(redeemed(letter, payload, hasNone ? "null" : "inline", content.headers()));
    }

    /** That the engine could not carry it is over, its reason stays until it has succeeded. */
    private static DeadLetter redeemed(DeadLetter letter, Bytes payload, String is, Headers ofTheRow) {
        Headers.Builder headers = Headers.builder();
        letter.headers().entries().forEach(entry -> {
            Bytes hidden = ofTheRow.text(entry.key()).map(Bytes::utf8).orElse(null);
            headers.add(entry.key(), entry.value() == null ? hidden : entry.value());
        });
        return new DeadLetter(
                letter.x(),
                letter.rowId(),
                headers.put(HeaderName.PAYLOAD, is).remove(HeaderName.STAGE).build(),
                payload,
                letter.partition(),
                letter.offset(),
                letter.writtenAtMs());
    }

    private Optional<Row> refusal(DeadLetter letter, int payloadBytes) {
        Optional<String> cannot = whyTheRowCannotGiveIt(letter);
        if (cannot.isPresent()) {
            return cannot.map(why -> new Row(letter, Outcome.PAYLOAD_OMITTED, why));
        }
        return whyItDoesNotFit(letter, payloadBytes).map(why -> new Row(letter, Outcome.STILL_TOO_LARGE, why));
    }

    private Optional<String> whyTheRowCannotGiveIt(DeadLetter letter) {
        if (!sources.containsKey(letter.source())) {
            return Optional.of(
                    "its row is in %s, which is not one of the configuration's sources".formatted(letter.source()));
        }
        if (letter.isBare()) {
            return Optional.of("even its name and headers did not fit and are cut short: insert a corrected row");
        }
        String trouble = troubles.get(letter.source());
        if (trouble != null) {
            return Optional.of(trouble);
        }
        return switch (found(letter).rows()) {
            case 0 ->
                Optional.of(
                        "it has no row in the outbox (cleaned up, or emitted as a message), and %s has it no more: insert it again"
                                .formatted(config.topicNames().rawEvents()));
            case 1 -> Optional.empty();
            default ->
                Optional.of(
                        "%d rows of the outbox have this id: insert the one that was meant again, under an id of its own"
                                .formatted(found(letter).rows()));
        };
    }

    private Optional<String> whyItDoesNotFit(DeadLetter letter, int payloadBytes) {
        Bytes key = Bytes.utf8(letter.orderingKey().orElse(letter.rowId()));
        int bytes = WireSize.of(key, payloadBytes, letter.headers().forDestination());
        int most = config.topics().maxMessageBytes();
        if (bytes > most) {
            return Optional.of(
                    "it takes %d bytes, topics.max-message-bytes is %d: raise that, and the topics as each part names them when it starts anew"
                            .formatted(bytes, most));
        }
        return tooSmall.isEmpty() ? Optional.empty() : Optional.of(tooSmall);
    }

    /** What takes the replay, and takes it back if it fails, must be as large as the configuration says. */
    private String topicsThatAreTooSmall(String x) {
        TopicCatalog catalog = new TopicCatalog(config.topicNames(), config.topics());
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            new TopicKeeper(admin, config.kafka().bootstrapServers(), false)
                    .ensure(List.of(), List.of(catalog.retry(x), catalog.deadLetters(x)));
            return "";
        } catch (StartRefused refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    private Found found(DeadLetter letter) {
        return found.getOrDefault(letter.rowId(), Found.NOTHING);
    }

    @Override
    public void close() {
        raw.close();
    }
}
