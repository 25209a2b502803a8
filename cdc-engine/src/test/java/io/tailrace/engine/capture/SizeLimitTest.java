package io.tailrace.engine.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SizeLimitTest {

    private static final SizeLimit LIMIT = new SizeLimit(64 * 1024);

    /** The producer refuses what it estimates to be larger; an estimate of ours that is smaller would stop the stream for ever. */
    @Property(tries = 300)
    void whatIsSentIsNeverLargerThanKafkaTakes(
            @ForAll @IntRange(min = 0, max = 70_000) int payload,
            @ForAll @IntRange(min = 1, max = 70_000) int key,
            @ForAll @StringLength(min = 1, max = 200) String header,
            @ForAll @IntRange(min = 0, max = 16_384) int headerValue) {
        Headers headers = Headers.builder()
                .put(HeaderName.CE_ID, "id")
                .add(header, Bytes.of(new byte[headerValue]))
                .build();
        RawRecord record = new RawRecord("t", Bytes.of(new byte[key]), Bytes.of(new byte[payload]), headers);
        assertThat(SizeLimit.upperBound(record)).isGreaterThanOrEqualTo(kafkasEstimate(record));
        RawRecord fitting = LIMIT.fit(record);
        assertThat(kafkasEstimate(fitting)).isLessThanOrEqualTo(LIMIT.maxBytes());
        assertThat(fitting.headers().text(HeaderName.CE_ID)).contains("id");
        if (kafkasEstimate(record) < LIMIT.maxBytes() - 1024) {
            assertThat(fitting).as("what fits with some room goes out whole").isSameAs(record);
        }
    }

    @Test
    void theLastByteDecides() {
        int fixed = SizeLimit.upperBound(record(0));
        assertThat(fixed).as("where no header gives room").isGreaterThanOrEqualTo(kafkasEstimate(record(0)));
        assertThat(LIMIT.fit(record(LIMIT.maxBytes() - fixed)).value()).isNotNull();
        RawRecord omitted = LIMIT.fit(record(LIMIT.maxBytes() - fixed + 1));
        assertThat(omitted.value()).isNull();
        assertThat(omitted.headers().text(HeaderName.PAYLOAD)).contains("omitted");
        assertThat(omitted.headers().text(HeaderName.REASON)).contains("too-large");
    }

    private static RawRecord record(int payload) {
        return new RawRecord("t", Bytes.utf8("key"), Bytes.of(new byte[payload]), Headers.empty());
    }

    private static int kafkasEstimate(RawRecord record) {
        Bytes value = record.value();
        byte @Nullable [] bytes = value == null ? null : value.array();
        Header[] headers = KafkaHeaders.to(record.headers()).toArray();
        return AbstractRecords.estimateSizeInBytesUpperBound(
                RecordBatch.CURRENT_MAGIC_VALUE,
                CompressionType.NONE,
                record.key().array(),
                bytes,
                headers);
    }
}
