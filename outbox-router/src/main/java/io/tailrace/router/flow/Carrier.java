package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Kind;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.decode.RawRecord;

/** Makes a command of what only speaks of one: a record that brings its row to an executor, which takes all it needs from the row. */
final class Carrier {

    private Carrier() {}

    /**
     * A command record for the same row.
     *
     * @param at when it is due, in milliseconds since the epoch
     */
    static RawRecord of(Decoded about, long at) {
        RawRecord record = about.record();
        boolean hasPayload = about.kind() != Kind.CONTROL;
        var headers = record.headers().toBuilder()
                .remove(HeaderName.CONTROL)
                .remove(HeaderName.WAIT)
                .put(HeaderName.KIND, Kind.COMMAND.text())
                .put(HeaderName.SEQ, about.seq().text())
                .put(HeaderName.NOT_BEFORE, at);
        if (!hasPayload) {
            headers.put(HeaderName.PAYLOAD, "omitted");
        }
        return record.with(headers.build());
    }
}
