package io.tailrace.cli;

import io.tailrace.contract.StartRefused;
import io.tailrace.embedded.EmbeddedStartException;
import io.tailrace.operations.OperationFailed;
import io.tailrace.proof.ProofStuck;
import java.io.PrintWriter;
import java.sql.SQLException;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** From what a verb threw to words and an exit code: expected ones in one line, bugs with their stack. */
final class Failures implements IExecutionExceptionHandler {

    @Override
    public int handleExecutionException(Exception thrown, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        if (thrown instanceof StartRefused) {
            err.println("Refused: " + thrown.getMessage());
            return Exit.REFUSED;
        }
        if (thrown instanceof ConfigRefused) {
            err.println(thrown.getMessage());
            return Exit.REFUSED;
        }
        if (thrown instanceof VerbFailed
                || thrown instanceof OperationFailed
                || thrown instanceof EmbeddedStartException
                || thrown instanceof ProofStuck) {
            err.println(thrown.getMessage());
            return Exit.FAILED;
        }
        if (thrown instanceof KafkaException || thrown instanceof SQLException) {
            err.println(thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
            return Exit.FAILED;
        }
        err.println("This is a bug in Tailrace:");
        thrown.printStackTrace(err);
        return Exit.FAILED;
    }
}
