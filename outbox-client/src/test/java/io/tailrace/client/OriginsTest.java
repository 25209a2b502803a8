package io.tailrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.record.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class OriginsTest {

    @Test
    void longRolesAreCutAtACommaAndToldOfOnce() {
        String roles = "role-name,".repeat(51) + "x,last";
        Origins origins = new Origins(() -> new Origin("t", "u", roles, null, null, null));

        List<LogRecord> log = new ArrayList<>();
        Logger logger = Logger.getLogger(Origins.class.getName());
        Handler handler = new Collecting(log);
        logger.addHandler(handler);
        try {
            assertThat(origins.current().userRoles()).isEqualTo("role-name,".repeat(51) + "x");
            assertThat(origins.current().userRoles()).hasSize(511);
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(log).singleElement().satisfies(record -> {
            assertThat(record.getLevel()).isEqualTo(Level.WARNING);
            assertThat(java.text.MessageFormat.format(record.getMessage(), record.getParameters()))
                    .contains("user_roles has 516 characters, at most 512")
                    .doesNotContain("role-name");
        });
    }

    @Test
    void aCommaRightBehindTheLimitLosesNothingThatFits() {
        String fits = "a".repeat(500) + "," + "b".repeat(11);
        assertThat(new Origins(() -> roles(fits + ",c")).current().userRoles()).isEqualTo(fits);
    }

    @Test
    void whatCannotBeCutIsRefused() {
        assertThatThrownBy(() -> new Origins(() -> roles("x".repeat(513))).current())
                .hasMessage("user_roles has 513 characters, at most 512 are allowed");
        assertThatThrownBy(() -> new Origins(() -> new Origin("t".repeat(65), null, null, null, null, null)).current())
                .hasMessage("tenant_id has 65 characters, at most 64 are allowed");
        assertThatThrownBy(() -> new Origins(() -> new Origin(null, null, null, null, null, "0".repeat(129))).current())
                .hasMessage("traceparent has 129 characters, at most 128 are allowed");
    }

    private static Origin roles(String roles) {
        return new Origin(null, null, roles, null, null, null);
    }

    private static final class Collecting extends Handler {
        private final List<LogRecord> log;

        Collecting(List<LogRecord> log) {
            this.log = log;
        }

        @Override
        public void publish(LogRecord record) {
            log.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
