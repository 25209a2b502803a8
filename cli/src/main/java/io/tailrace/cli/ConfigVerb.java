package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code config}: the configuration file and its reference page. */
@Command(
        name = "config",
        description = "Check a configuration file, or print the reference of its keys.",
        mixinStandardHelpOptions = true,
        subcommands = {ConfigCheckVerb.class, ConfigReferenceVerb.class})
final class ConfigVerb extends Group {}
