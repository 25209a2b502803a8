package io.tailrace.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RowNumberTest {

    @Test
    void isFoundHoweverTheJsonIsWrittenDown() {
        assertThat(find("{\"number\":\"~0000012345~\",\"customer\":\"c\"}")).isEqualTo(12_345);
        assertThat(find("\"{\\\"number\\\":\\\"~0000012345~\\\"}\"")).isEqualTo(12_345);
        assertThat(find("I\0\0@\0N\0\16t~0000000000~")).isEqualTo(0);
    }

    @Test
    void isNoneWhereThereIsNone() {
        assertThat(find("")).isEqualTo(RowNumber.NONE);
        assertThat(find("~123~")).isEqualTo(RowNumber.NONE);
        assertThat(find("~00000x2345~")).isEqualTo(RowNumber.NONE);
        assertThat(find("~0000012345")).isEqualTo(RowNumber.NONE);
    }

    private static int find(String text) {
        return RowNumber.find(text.getBytes(StandardCharsets.UTF_8));
    }
}
