package io.tailrace.router.decode;

import java.util.function.Consumer;
import java.util.function.Function;

/** What became of the bytes. */
public sealed interface Decoding permits Decoded, Malformed {

    /** Takes one of the two ways. */
    <T> T match(Function<Decoded, T> decoded, Function<Malformed, T> malformed);

    /** Takes one of the two ways, for what it does. */
    void handle(Consumer<Decoded> decoded, Consumer<Malformed> malformed);
}
