package io.tailrace.engine.capture;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;

/** The first thing that is wrong with a row; the rest follows from mending it. For one row. */
final class Problem {

    private String first = "";

    void note(String problem) {
        if (first.isEmpty()) {
            first = problem;
        }
    }

    void write(Headers.Builder out) {
        if (!first.isEmpty()) {
            out.add(HeaderName.REASON.key(), Bytes.utf8(Reason.MALFORMED.text()));
            out.add(
                    HeaderName.ERROR_MESSAGE.key(),
                    Bytes.utf8(ErrorTrail.bounded(first, ErrorTrail.MAX_MESSAGE_BYTES)));
            out.add(HeaderName.STAGE.key(), Bytes.utf8("capture"));
        }
    }
}
