package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code dlq}: what is parked, why, and the way back. */
@Command(
        name = "dlq",
        description = "Dead letters: what is parked, why, and the way back.",
        mixinStandardHelpOptions = true,
        subcommands = {
            DlqListVerb.class,
            DlqShowVerb.class,
            DlqReplayVerb.class,
            DlqSkipVerb.class,
            DlqDiscardVerb.class
        })
final class DlqVerb extends Group {}
