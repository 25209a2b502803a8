package io.tailrace.benchmarks.contender;

import java.nio.ByteBuffer;

/** What becomes of the rows that are read from the stream. Called by one thread, counted by any. */
interface Rows extends AutoCloseable {

    /** Takes an insert as the server sent it; the buffer is valid during the call only. */
    void take(ByteBuffer message);

    /** How many are done with. */
    long done();

    @Override
    void close();
}
