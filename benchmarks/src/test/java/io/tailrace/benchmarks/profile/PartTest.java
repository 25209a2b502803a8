package io.tailrace.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PartTest {

    private static final String READER = "io.debezium.connector.postgresql.PostgresStreamingChangeEventSource.execute";

    @Test
    void workCountsForTheInnermostPart() {
        assertThat(Part.of(List.of(
                        "java.util.HashMap.get",
                        "io.debezium.relational.TableSchema.valueFromColumnData",
                        "io.debezium.connector.postgresql.connection.pgoutput.PgOutputMessageDecoder.decodeInsert",
                        "org.postgresql.core.v3.CopyDualImpl.readFromCopy",
                        READER)))
                .isEqualTo(Part.VALUES);
        assertThat(Part.of(List.of("org.postgresql.core.PGStream.receive", READER)))
                .isEqualTo(Part.DRIVER);
    }

    @Test
    void aPartThatKeepsAllKeepsWhatItCalls() {
        assertThat(Part.of(List.of(
                        "com.fasterxml.jackson.databind.ObjectMapper.writeValueAsString",
                        "io.debezium.data.Envelope.create",
                        "io.debezium.connector.postgresql.SourceInfo.sequence",
                        READER)))
                .isEqualTo(Part.SOURCE_BLOCK);
    }

    @Test
    void whatNobodyKnowsIsOther() {
        assertThat(Part.of(List.of("java.lang.Thread.run"))).isEqualTo(Part.OTHER);
        assertThat(Part.of(List.of())).isEqualTo(Part.OTHER);
        assertThat(Part.of(List.of(READER))).isEqualTo(Part.DEBEZIUM);
    }
}
