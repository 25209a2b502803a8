package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code commands}: what is scheduled, runs, is done or dead. */
@Command(
        name = "commands",
        description = "Commands: count, list, show and change them.",
        mixinStandardHelpOptions = true,
        subcommands = {
            CommandsCountVerb.class,
            CommandsListVerb.class,
            CommandsShowVerb.class,
            CommandsCancelVerb.class,
            CommandsRunNowVerb.class,
            CommandsRescheduleVerb.class,
            CommandsRequeueVerb.class,
            CommandsPurgeVerb.class,
            CommandsHeldVerb.class,
            CommandsPauseVerb.class,
            CommandsResumeVerb.class
        })
final class CommandsVerb extends Group {}
