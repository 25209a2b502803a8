package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code db}: tables, functions, publication and slot. */
@Command(
        name = "db",
        description = "The database side: tables, functions, publication and slot.",
        mixinStandardHelpOptions = true,
        subcommands = {DbMigrateVerb.class, DbScriptVerb.class, DbCheckVerb.class})
final class DbVerb extends Group {}
