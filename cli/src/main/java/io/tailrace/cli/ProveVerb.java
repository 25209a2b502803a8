package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code prove}: promises, tried by force. */
@Command(
        name = "prove",
        description = "For sceptics: break things on purpose, again and again, and count every row afterwards.",
        mixinStandardHelpOptions = true,
        subcommands = {ProveEngineVerb.class, ProveRouterVerb.class, ProveCommandsVerb.class})
final class ProveVerb extends Group {}
