package io.tailrace.executor.intake;

import io.tailrace.executor.intake.DueDecoder.Decoded;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the records of the topics of one intake. Total: what makes no sense is a value that says why. */
interface RecordReader {

    /** Whether a record is about rows of this intake at all; others pass unread. */
    default boolean wants(ConsumerRecord<byte[], byte[]> record) {
        return true;
    }

    Decoded decode(ConsumerRecord<byte[], byte[]> record);
}
