package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.EngineOperations;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** What an engine would be refused for, for verbs that are about something else and must not be silent about it. */
final class Refusals {

    private Refusals() {}

    /** Without Kafka what the database alone can tell, and a line that says so. */
    static List<String> of(TailraceConfig config, boolean several, String file, PrintWriter err) throws SQLException {
        EngineOperations engine = new EngineOperations(config);
        Optional<String> noKafka = Server.KAFKA.problem(config, several, file);
        if (noKafka.isPresent()) {
            err.println("note: the slot is not compared with the position in Kafka: " + noKafka.get());
            return engine.refusalsWithoutPosition();
        }
        return engine.refusals();
    }
}
