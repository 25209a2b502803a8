package io.tailrace.broker;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * What an executor commits of a partition: an offset, and as text beside it what the next owner should know. The offset is that of the first row that
 * is not finished, so whoever cannot read the text looks at rows once more and loses none.
 *
 * @param owned whether somebody has the partition: what an owner leaves behind who did not come to say that he goes
 * @param offset of the first row that is not finished
 * @param read every row below this offset is finished, but for those of {@code unfinished}
 * @param unfinished offsets, ascending: of each key with unfinished rows the first one, and those without a key
 */
public record CommitNote(boolean owned, long offset, long read, List<Long> unfinished) {

    /** Kafka takes 4096 characters unless it is told otherwise. */
    public static final int MOST_CHARS = 4000;

    /** Changes when the meaning does; a note of another version says nothing. */
    private static final String OWNED = "1o";

    private static final String FREE = "1f";

    private static final int BITS = 7;
    private static final int MASK = 0x7F;

    /** Of one number. */
    private static final int MOST_BYTES = 10;

    public CommitNote {
        unfinished = List.copyOf(unfinished);
    }

    /** A note that does not say more than the offset. */
    public static CommitNote none(long offset) {
        return new CommitNote(false, offset, offset, List.of());
    }

    /** The same, of a partition that somebody has, or nobody. */
    public CommitNote owned(boolean byUs) {
        return new CommitNote(byUs, offset, read, unfinished);
    }

    /**
     * As text: the state, then how far each number lies above the one before it, seven bits to the byte. What does not fit is left out from
     * behind: rows from there on are looked at again.
     *
     * @param most characters
     */
    public String text(int most) {
        String state = owned ? OWNED : FREE;
        // Three bytes are four characters; the first number is not known to be short before the list has been cut.
        int room = Math.max(0, (most - state.length()) / 4 * 3 - MOST_BYTES);
        ByteBuffer list = ByteBuffer.allocate(room + MOST_BYTES);
        long before = offset;
        long until = read;
        for (long each : unfinished) {
            if (list.position() + bytesOf(each - before) > room) {
                until = each;
                break;
            }
            put(list, each - before);
            before = each;
        }
        if (until == offset || room == 0) {
            return state;
        }
        ByteBuffer all = ByteBuffer.allocate(list.position() + MOST_BYTES);
        put(all, until - offset);
        all.put(list.flip());
        return state + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(all.flip()));
    }

    /** What was found committed; total. */
    public static CommitNote parse(long offset, String text) {
        boolean owned = text.startsWith(OWNED);
        if (!owned && !text.startsWith(FREE)) {
            return none(offset);
        }
        try {
            byte[] decoded =
                    Base64.getUrlDecoder().decode(text.substring(OWNED.length()).getBytes(StandardCharsets.US_ASCII));
            List<Long> numbers = numbers(ByteBuffer.wrap(decoded), offset);
            return numbers.isEmpty()
                    ? none(offset).owned(owned)
                    : new CommitNote(owned, offset, numbers.get(0), numbers.subList(1, numbers.size()));
        } catch (IllegalArgumentException notOurs) {
            return none(offset).owned(owned);
        }
    }

    private static List<Long> numbers(ByteBuffer encoded, long offset) {
        List<Long> numbers = new ArrayList<>();
        long before = offset;
        while (encoded.hasRemaining()) {
            long value = 0;
            for (int shift = 0, next = -1; next < 0; shift += BITS) {
                if (!encoded.hasRemaining() || shift >= Long.SIZE) {
                    throw new IllegalArgumentException("cut off");
                }
                next = encoded.get();
                value |= (long) (next & MASK) << shift;
            }
            boolean first = numbers.isEmpty();
            numbers.add((first ? offset : before) + value);
            before = first ? offset : numbers.get(numbers.size() - 1);
        }
        return numbers;
    }

    private static int bytesOf(long value) {
        return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + BITS - 1) / BITS);
    }

    private static void put(ByteBuffer out, long value) {
        long rest = value;
        while (rest > MASK) {
            out.put((byte) (rest & MASK | ~MASK));
            rest >>>= BITS;
        }
        out.put((byte) rest);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
