package io.tailrace.router.decode;

import java.util.function.Function;

/** What became of the bytes. */
public sealed interface Decoding permits Decoded, Malformed {

    /** Takes one of the two ways. */
    <T> T match(Function<Decoded, T> decoded, Function<Malformed, T> malformed);
}
