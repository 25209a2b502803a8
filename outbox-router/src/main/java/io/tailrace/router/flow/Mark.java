package io.tailrace.router.flow;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.router.decode.RawRecord;
import java.util.List;

/** What is left on its lane of a row at which the key stops: what names it. The rest is in its dead letter, and in its table. */
final class Mark {

    /** What says whose row it was. */
    private static final List<HeaderName> NAMES = List.of(
            HeaderName.CE_ID,
            HeaderName.CE_TYPE,
            HeaderName.CE_SOURCE,
            HeaderName.CE_PARTITIONKEY,
            HeaderName.CE_EVENTVERSION,
            HeaderName.KIND,
            HeaderName.SEQ);

    private Mark() {}

    static RawRecord of(RawRecord record) {
        Headers headers = record.headers();
        Headers.Builder marked = Headers.builder();
        NAMES.forEach(name -> marked.putIfPresent(name, headers.text(name).orElse(null)));
        return record.withoutValue(marked.put(HeaderName.PAYLOAD, "omitted").build());
    }
}
