package io.tailrace.engine.log;

import io.debezium.connector.postgresql.PostgresConnector;
import org.apache.kafka.connect.connector.Task;

/** Debezium's connector for PostgreSQL, but for the task: {@link LogTask}. Made by Debezium, by name. */
public final class LogConnector extends PostgresConnector {

    /** Made by Debezium, by name. */
    public LogConnector() {}

    @Override
    public Class<? extends Task> taskClass() {
        return LogTask.class;
    }
}
