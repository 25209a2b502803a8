package io.tailrace.contract.header;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The headers of one record, immutable. Known headers are UTF-8 text and appear once: {@link #with} replaces. Decoding is total: a
 * header that is missing or says nonsense reads as empty, and never throws.
 */
public final class Headers {

    /** One header; the value of a foreign header may be anything, even absent. */
    public record Entry(String key, @Nullable Bytes value) {}

    /** What a raw record with an origin has, and some of its own: a list that grows is copied each time. */
    private static final int USUAL = 24;

    private static final Headers EMPTY = new Headers(List.of());

    private final List<Entry> entries;

    /** @param entries which nobody changes from now on */
    private Headers(List<Entry> entries) {
        this.entries = entries;
    }

    /** None. */
    public static Headers empty() {
        return EMPTY;
    }

    /** As they stand on a record, in order. */
    public static Headers of(List<Entry> entries) {
        return new Headers(List.copyOf(entries));
    }

    /** To write many at once without a copy for each. */
    public static Builder builder() {
        return new Builder(new ArrayList<>(USUAL), false);
    }

    /** These, to be changed in one go. */
    public Builder toBuilder() {
        return new Builder(entries, true);
    }

    /** In the order of the record. */
    public List<Entry> entries() {
        return Collections.unmodifiableList(entries);
    }

    /** The last value under a key, as text. */
    public Optional<String> text(String key) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            Entry entry = entries.get(i);
            if (entry.key().equals(key)) {
                return Optional.ofNullable(entry.value()).map(Bytes::utf8);
            }
        }
        return Optional.empty();
    }

    /** The value of a known header, as text. */
    public Optional<String> text(HeaderName name) {
        return text(name.key());
    }

    /** The value of a known header, as a whole number that fits 64 bits. */
    public OptionalLong number(HeaderName name) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text.get()));
        } catch (NumberFormatException notANumber) {
            return OptionalLong.empty();
        }
    }

    /** The value of a known header, as a whole number that fits 32 bits. */
    public OptionalInt smallNumber(HeaderName name) {
        OptionalLong number = number(name);
        return number.isPresent() && number.getAsLong() == (int) number.getAsLong()
                ? OptionalInt.of((int) number.getAsLong())
                : OptionalInt.empty();
    }

    /** The kind of the record. */
    public Optional<Kind> kind() {
        return text(HeaderName.KIND).flatMap(Kind::of);
    }

    /** The reason the row failed or was parked for. */
    public Optional<Reason> reason() {
        return text(HeaderName.REASON).flatMap(Reason::of);
    }

    /** A header that holds {@code <epoch>:<offset>}. */
    public Optional<Place> place(HeaderName name) {
        return text(name).flatMap(Place::parse);
    }

    /** On whose behalf the row was written. */
    public Origin origin() {
        return new Origin(
                text(HeaderName.CE_TENANTID).orElse(null),
                text(HeaderName.CE_USERID).orElse(null),
                text(HeaderName.CE_USERROLES).orElse(null),
                text(HeaderName.CE_CORRELATIONID).orElse(null),
                text(HeaderName.CE_CAUSATIONID).orElse(null),
                text(HeaderName.TRACEPARENT).orElse(null));
    }

    /** The same with this header in the place of any before it. */
    public Headers with(HeaderName name, String value) {
        return toBuilder().put(name, value).build();
    }

    /** The same without this header. */
    public Headers without(HeaderName name) {
        return keep(entry -> !entry.key().equals(name.key()));
    }

    /** What a consumer of a destination sees: business headers, the row's own, and of the delivery headers those that are kept. */
    public Headers forDestination() {
        return keep(entry -> !HeaderName.isDeliveryKey(entry.key())
                || HeaderName.of(entry.key())
                        .filter(HeaderName::keptAtDestination)
                        .isPresent());
    }

    /** Business headers and the row's own: what is left when a row sets out anew. */
    public Headers withoutDelivery() {
        return keep(entry -> !HeaderName.isDeliveryKey(entry.key()));
    }

    /** The same without delivery headers other than these. */
    public Headers keepingOfDelivery(Set<HeaderName> kept) {
        return keep(entry -> !HeaderName.isDeliveryKey(entry.key())
                || HeaderName.of(entry.key()).filter(kept::contains).isPresent());
    }

    /** Without the row's own headers, and without any that Tailrace does not know. */
    public Headers known() {
        return keep(entry -> HeaderName.of(entry.key()).isPresent());
    }

    /** Names and values of all headers, in bytes, as the size limits count them. */
    public int sizeInBytes() {
        return size(entry -> true);
    }

    /** Names and values of the delivery headers, in bytes; at most {@link HeaderName#MAX_DELIVERY_BYTES}. */
    public int deliveryBytes() {
        return size(entry -> HeaderName.isDeliveryKey(entry.key()));
    }

    private int size(Predicate<Entry> counted) {
        int bytes = 0;
        for (Entry entry : entries) {
            Bytes value = entry.value();
            if (counted.test(entry)) {
                bytes += Bytes.utf8(entry.key()).length() + (value == null ? 0 : value.length());
            }
        }
        return bytes;
    }

    private Headers keep(Predicate<Entry> kept) {
        List<Entry> left = new ArrayList<>(Math.max(USUAL, entries.size()));
        for (Entry entry : entries) {
            if (kept.test(entry)) {
                left.add(entry);
            }
        }
        return new Headers(left);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Headers headers && entries.equals(headers.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    /** Keys only: values may hold what must not be logged. */
    @Override
    public String toString() {
        return entries.stream().map(Entry::key).toList().toString();
    }

    /** Collects headers; not for use by two threads. */
    public static final class Builder {

        private List<Entry> entries;
        /** Whether headers that were built, and never change, hold the same list: the next change makes a copy. */
        private boolean isShared;

        private Builder(List<Entry> entries, boolean isShared) {
            this.entries = entries;
            this.isShared = isShared;
        }

        /** Replaces the header. */
        public Builder put(HeaderName name, String value) {
            remove(name);
            own().add(new Entry(name.key(), Bytes.utf8(value)));
            return this;
        }

        /** Replaces the header by a decimal number. */
        public Builder put(HeaderName name, long value) {
            return put(name, Long.toString(value));
        }

        /** Replaces the header, or leaves it alone when there is nothing to say. */
        public Builder putIfPresent(HeaderName name, @Nullable String value) {
            return value == null ? this : put(name, value);
        }

        /** Adds a header of the row's own, as it is. */
        public Builder add(String key, @Nullable Bytes value) {
            own().add(new Entry(key, value));
            return this;
        }

        /** Takes the header away. */
        public Builder remove(HeaderName name) {
            for (int i = entries.size() - 1; i >= 0; i--) {
                if (entries.get(i).key().equals(name.key())) {
                    own().remove(i);
                }
            }
            return this;
        }

        /** The headers as collected. */
        public Headers build() {
            isShared = true;
            return new Headers(entries);
        }

        private List<Entry> own() {
            if (isShared) {
                List<Entry> copy = new ArrayList<>(Math.max(USUAL, entries.size() + 2));
                copy.addAll(entries);
                entries = copy;
                isShared = false;
            }
            return entries;
        }
    }
}
