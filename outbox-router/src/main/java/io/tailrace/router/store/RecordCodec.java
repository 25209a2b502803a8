package io.tailrace.router.store;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.decode.RawRecord;

/** A record in a store: topic, partition, offset, key, value, headers. */
public final class RecordCodec {

    private RecordCodec() {}

    /** Writes it. */
    public static void write(ByteWriter out, RawRecord record) {
        out.text(record.topic())
                .varint(record.partition())
                .varint(record.offset())
                .nullable(record.key())
                .nullable(record.value())
                .varint(record.headers().entries().size());
        for (Headers.Entry entry : record.headers().entries()) {
            out.text(entry.key()).nullable(entry.value());
        }
    }

    /** Reads {@link #write}. */
    public static RawRecord read(ByteReader in) {
        String topic = in.text();
        int partition = in.int4();
        long offset = in.varint();
        Bytes key = in.nullable();
        Bytes value = in.nullable();
        Headers.Builder headers = Headers.builder();
        for (int left = in.int4(); left > 0; left--) {
            headers.add(in.text(), in.nullable());
        }
        return new RawRecord(topic, partition, offset, key, value, headers.build());
    }
}
