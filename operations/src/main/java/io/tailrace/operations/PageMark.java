package io.tailrace.operations;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.operations.DeadLetters.Head;
import io.tailrace.operations.DeadLetters.Page;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Where a page ended: by what letters are ordered, so that it stays true when that letter is replayed. As text it is opaque. */
record PageMark(String source, String place, long writtenAtMs, String rowId) {

    private static final String SEPARATOR = "\n";

    static PageMark of(DeadLetter letter) {
        return new PageMark(
                letter.source(), letter.place().map(Place::text).orElse(""), letter.writtenAtMs(), letter.rowId());
    }

    static PageMark parse(String text) {
        try {
            String[] parts =
                    new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(SEPARATOR, 4);
            return new PageMark(parts[0], parts[1], Long.parseLong(parts[2]), parts[3]);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException foreign) {
            throw new IllegalArgumentException("'" + text + "' is not where a page ended", foreign);
        }
    }

    String text() {
        String parts = String.join(SEPARATOR, source, place, Long.toString(writtenAtMs), rowId);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(parts.getBytes(StandardCharsets.UTF_8));
    }

    static Page page(List<Head> all, Optional<PageMark> after, int size) {
        if (size < 1) {
            throw new IllegalArgumentException("a page has 1 letter or more, not " + size);
        }
        List<Head> rest = all.stream()
                .filter(head -> after.isEmpty() || after.get().isBefore(head.letter()))
                .toList();
        List<Head> page = rest.subList(0, Math.min(size, rest.size()));
        boolean isLast = page.size() == rest.size();
        return new Page(
                List.copyOf(page),
                isLast
                        ? Optional.empty()
                        : Optional.of(of(page.get(page.size() - 1).letter()).text()));
    }

    private boolean isBefore(DeadLetter letter) {
        Headers headers = Headers.builder()
                .put(HeaderName.CE_SOURCE, source)
                .put(HeaderName.PLACE, place)
                .build();
        DeadLetter last = new DeadLetter(letter.x(), rowId, headers, Bytes.of(new byte[0]), 0, 0, writtenAtMs);
        return DeadLetter.IN_ORDER.compare(last, letter) < 0;
    }
}
