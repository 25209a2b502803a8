package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code routes}: where events go, and what the configuration forgets to hide. */
@Command(
        name = "routes",
        description = "Say where an event goes and why, or look for secrets that the configuration does not name.",
        mixinStandardHelpOptions = true,
        subcommands = {RoutesExplainVerb.class, RoutesLintVerb.class})
final class RoutesVerb extends Group {}
