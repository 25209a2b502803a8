package io.tailrace.router.deadletter;

import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outgoing;

/**
 * A dead letter that is to be sent.
 *
 * @param record the letter
 * @param row that it is about, as it was read
 * @param rowId under which it stands
 * @param verdict why
 */
public record Letter(Outgoing record, RawRecord row, String rowId, Verdict verdict) {}
