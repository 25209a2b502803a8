package io.tailrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Command lines run in this JVM, their output caught. */
final class CommandLines {

    private CommandLines() {}

    record Ran(int exit, String out, String err) {}

    static Ran tailrace(String... arguments) {
        return run(Tailrace.commandLine(), arguments);
    }

    static Ran run(Object verb, String... arguments) {
        return run(new CommandLine(verb).setCaseInsensitiveEnumValuesAllowed(true), arguments);
    }

    private static Ran run(CommandLine line, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit =
                line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
        return new Ran(exit, out.toString(), err.toString());
    }
}
