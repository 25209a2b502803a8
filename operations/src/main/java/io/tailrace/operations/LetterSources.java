package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Which database the row of a dead letter is in. Of one source that is its own, whatever the letter says: a database may have been called
 * otherwise once. A letter that cannot say it any more may be of any.
 */
final class LetterSources {

    /** By {@code ce_source}. */
    private final Map<String, SourceConfig> sources = new LinkedHashMap<>();

    LetterSources(TailraceConfig config) {
        for (TailraceConfig one : config.eachSource()) {
            sources.put(one.ceSource(), one.source());
        }
    }

    /** With each database the ids of the rows that may be in it, where there are any. What is no row has no id. */
    void each(List<DeadLetter> letters, BiConsumer<SourceConfig, List<UUID>> work) {
        sources.forEach((name, source) -> {
            List<UUID> ids = letters.stream()
                    .filter(letter -> mayBeIn(name, letter))
                    .flatMap(letter -> CommandRows.uuid(letter.rowId()).stream())
                    .toList();
            if (!ids.isEmpty()) {
                work.accept(source, ids);
            }
        });
    }

    private boolean mayBeIn(String name, DeadLetter letter) {
        return sources.size() == 1
                || letter.source().isEmpty()
                || letter.source().equals(name);
    }

    /** It is of a row, and names a database that the configuration does not: if the row is in none of ours, it is not ours. */
    boolean isElsewhere(DeadLetter letter) {
        return !letter.isOrder()
                && !letter.source().isEmpty()
                && !sources.containsKey(letter.source())
                && CommandRows.uuid(letter.rowId()).isPresent();
    }
}
