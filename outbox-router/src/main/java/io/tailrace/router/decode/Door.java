package io.tailrace.router.decode;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.header.WireSize;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Reason;

/**
 * What may come in whole. A record that is larger than what this router may write would abort the transaction that it is in, again and
 * again, wherever it is to go: to its destination, to a store or to the dead letters. It can come from a raw topic that takes more than
 * this router was started for. So it goes on without its payload, which is in its row. Pure.
 *
 * @param maxBytes largest record on the wire
 */
public record Door(int maxBytes) {

    /** The record, or as much of it as may come in. */
    public RawRecord admit(RawRecord record) {
        if (record.value() == null) {
            return record;
        }
        int bytes = WireSize.of(record.key(), record.value(), record.headers());
        if (bytes <= maxBytes) {
            return record;
        }
        Headers.Builder headers = record.headers().toBuilder().put(HeaderName.PAYLOAD, "omitted");
        boolean runsFromItsRow =
                record.headers().kind().filter(Kind.COMMAND::equals).isPresent();
        if (!runsFromItsRow) {
            headers.put(HeaderName.REASON, Reason.TOO_LARGE.text())
                    .put(
                            HeaderName.ERROR_MESSAGE,
                            "the record takes %d bytes and this router %d: raise topics.max-message-bytes and start it anew"
                                    .formatted(bytes, maxBytes))
                    .put(HeaderName.STAGE, "route");
        }
        return new RawRecord(record.topic(), record.partition(), record.offset(), record.key(), null, headers.build());
    }
}
