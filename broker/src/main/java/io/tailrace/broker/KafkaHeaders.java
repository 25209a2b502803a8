package io.tailrace.broker;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Between Kafka's headers and ours, byte for byte and in order. */
public final class KafkaHeaders {

    private KafkaHeaders() {}

    /** The headers of a record that was read. */
    public static Headers from(org.apache.kafka.common.header.Headers kafka) {
        Headers.Builder headers = Headers.builder();
        for (Header header : kafka) {
            byte[] value = header.value();
            headers.add(header.key(), value == null ? null : Bytes.of(value));
        }
        return headers.build();
    }

    /** Fresh headers for a record to be written. */
    public static org.apache.kafka.common.header.Headers to(Headers headers) {
        List<Headers.Entry> entries = headers.entries();
        Header[] kafka = new Header[entries.size()];
        for (int i = 0; i < kafka.length; i++) {
            Bytes value = entries.get(i).value();
            kafka[i] = new RecordHeader(entries.get(i).key(), value == null ? null : value.array());
        }
        // At once: its list would be copied as it grows, twice for every record.
        return new RecordHeaders(kafka);
    }
}
