package io.tailrace.executor.run;

import io.tailrace.contract.config.RedactConfig.Scrub;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.contract.redact.Veil;
import io.tailrace.executor.claim.AttemptUse;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.ScrubTable;
import io.tailrace.executor.metric.ExecutorMetrics;
import io.tailrace.executor.settle.OwnHeaders;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is secret in commands: hidden in what is written down about a failure, and taken out of the row in the transaction that settles it.
 * Immutable.
 */
public final class RowSecrets {

    private static final Logger LOG = LoggerFactory.getLogger(RowSecrets.class);

    private final Secrets secrets;
    private final boolean scrubs;
    private final ScrubTable commands;
    private final ExecutorMetrics metrics;

    /** As the configuration says. */
    public RowSecrets(TailraceConfig config, ExecutorMetrics metrics) {
        this.metrics = metrics;
        this.secrets = config.redact().secrets();
        this.scrubs = config.redact().scrub() == Scrub.ON_DONE;
        this.commands = ScrubTable.ofCommands(config.source().tables());
    }

    /** Over the texts of errors of this row. */
    Veil veil(CommandRow row) {
        SecretPaths paths = secrets.ofCommand(row.name());
        return paths.isEmpty()
                ? Veil.NONE
                : paths.veil(row.payload(), row.contentType(), Headers.of(OwnHeaders.of(row.headersJson())));
    }

    /**
     * In the transaction of the connection; the row is done and its lock is held. A row that the database refuses to change keeps its
     * secrets, which is said and counted: what its handler has done is not undone for that.
     *
     * @return whether that changed the row
     */
    boolean scrub(Connection connection, UUID id, String name) throws SQLException {
        SecretPaths paths = secrets.ofCommand(name);
        if (!scrubs || paths.isEmpty()) {
            return false;
        }
        Savepoint before = connection.setSavepoint();
        try {
            return commands.scrub(connection, id, paths);
        } catch (SQLException refused) {
            if (AttemptUse.of(refused) == AttemptUse.LOST) {
                throw refused;
            }
            connection.rollback(before);
            metrics.scrubRefused();
            LOG.error(
                    "Secrets stay in a row that is done, the database refuses to change it: rowId={} kind=command sqlState={} {}",
                    id,
                    refused.getSQLState(),
                    refused.getMessage());
            return false;
        }
    }
}
