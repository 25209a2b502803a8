package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code engine}: what stands in the way of an engine, and the way out. */
@Command(
        name = "engine",
        description = "The engine: whether it would start, and the way out when it would not.",
        mixinStandardHelpOptions = true,
        subcommands = {EngineCheckVerb.class, EngineRecoverVerb.class})
final class EngineVerb extends Group {}
