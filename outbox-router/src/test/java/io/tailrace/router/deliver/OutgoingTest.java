package io.tailrace.router.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;

class OutgoingTest {

    /** The producer refuses a record by this very estimate, so ours must be the same, to the byte. */
    @Property(tries = 500)
    void theSizeIsCountedAsTheProducerCountsIt(@ForAll long seed) {
        Random random = new Random(seed);
        Headers.Builder headers = Headers.builder();
        for (int i = random.nextInt(200); i > 0; i--) {
            headers.add("h".repeat(random.nextInt(200)), bytes(random, 20_000));
        }
        Outgoing outgoing = new Outgoing("t", bytes(random, 300), bytes(random, 100_000), headers.build());
        Bytes key = outgoing.key();
        Bytes value = outgoing.value();
        int estimate = AbstractRecords.estimateSizeInBytesUpperBound(
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.NONE.type(),
                key == null ? null : key.array(),
                value == null ? null : value.array(),
                KafkaHeaders.to(outgoing.headers()).toArray());
        assertThat(outgoing.sizeOnWire()).isEqualTo(estimate);
    }

    private static @Nullable Bytes bytes(Random random, int most) {
        return random.nextInt(8) == 0 ? null : Bytes.of(new byte[random.nextInt(most)]);
    }
}
