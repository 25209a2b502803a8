package io.tailrace.executor.run;

import io.tailrace.contract.config.RedactConfig.Scrub;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.redact.SecretPaths;
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
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is secret in rows: hidden in what is written down about a failure, and taken out of the row in the transaction that settles it.
 * Immutable.
 */
public final class RowSecrets {

    private static final Logger LOG = LoggerFactory.getLogger(RowSecrets.class);

    private final Function<String, SecretPaths> secrets;
    private final boolean scrubs;
    private final ScrubTable commands;
    private final Runnable refusals;

    private RowSecrets(Function<String, SecretPaths> secrets, boolean scrubs, ScrubTable commands, Runnable refusals) {
        this.secrets = secrets;
        this.scrubs = scrubs;
        this.commands = commands;
        this.refusals = refusals;
    }

    /** Of commands, as the configuration says. */
    public RowSecrets(TailraceConfig config, ExecutorMetrics metrics) {
        this(
                config.redact().secrets()::ofCommand,
                config.redact().scrub() == Scrub.ON_DONE,
                ScrubTable.ofCommands(config.source().tables()),
                metrics::scrubRefused);
    }

    /** Of events: what the inbox holds of one is no secret but for the words of an error, and the outbox is not ours to scrub. */
    public static RowSecrets ofEvents(TailraceConfig config) {
        return new RowSecrets(
                config.redact().secrets()::ofEvent,
                false,
                ScrubTable.ofCommands(config.source().tables()),
                () -> {});
    }

    /** No row has any. */
    public static RowSecrets none(TableNames tables) {
        return new RowSecrets(name -> SecretPaths.NONE, false, ScrubTable.ofCommands(tables), () -> {});
    }

    /** Over the texts of errors of this row. */
    Veil veil(CommandRow row) {
        SecretPaths paths = secrets.apply(row.name());
        return paths.isEmpty()
                ? Veil.NONE
                : paths.veil(row.payload(), row.contentType(), Headers.of(OwnHeaders.of(row.headersJson())));
    }

    /** Whether a row of this name has secrets that are to be taken out of it when it is done. */
    boolean stayIn(String name) {
        return scrubs && !secrets.apply(name).isEmpty();
    }

    /**
     * In the transaction of the connection; the row is done and its lock is held. A row that the database refuses to change keeps its
     * secrets, which is said and counted: what its handler has done is not undone for that.
     *
     * @return whether that changed the row
     */
    boolean scrub(Connection connection, UUID id, String name) throws SQLException {
        if (!stayIn(name)) {
            return false;
        }
        SecretPaths paths = secrets.apply(name);
        Savepoint before = connection.setSavepoint();
        try {
            return commands.scrub(connection, id, paths);
        } catch (SQLException refused) {
            if (AttemptUse.of(refused) == AttemptUse.LOST) {
                throw refused;
            }
            connection.rollback(before);
            refusals.run();
            LOG.error(
                    "Secrets stay in a row that is done, the database refuses to change it: rowId={} kind=command sqlState={} {}",
                    id,
                    refused.getSQLState(),
                    refused.getMessage());
            return false;
        }
    }
}
