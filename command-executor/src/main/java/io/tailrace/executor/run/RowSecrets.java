package io.tailrace.executor.run;

import io.tailrace.contract.config.RedactConfig.Scrub;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.contract.redact.Veil;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.ScrubTable;
import io.tailrace.executor.settle.OwnHeaders;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

/**
 * What is secret in commands: hidden in what is written down about a failure, and taken out of the row in the transaction that settles it.
 * Immutable.
 */
public final class RowSecrets {

    private final Secrets secrets;
    private final boolean scrubs;
    private final ScrubTable commands;

    /** As the configuration says. */
    public RowSecrets(TailraceConfig config) {
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
     * In the transaction of the connection; the row is done and its lock is held.
     *
     * @return whether that changed the row
     */
    boolean scrub(Connection connection, UUID id, String name) throws SQLException {
        SecretPaths paths = secrets.ofCommand(name);
        return scrubs && !paths.isEmpty() && commands.scrub(connection, id, paths);
    }
}
