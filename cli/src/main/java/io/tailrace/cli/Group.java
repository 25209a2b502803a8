package io.tailrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A verb that only has verbs below it. */
abstract class Group implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine line = spec.commandLine();
        throw new ParameterException(
                line,
                "say what to do: " + String.join(", ", line.getSubcommands().keySet()));
    }
}
