package io.tailrace.cli;

import io.tailrace.contract.config.ConfigReference;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code config reference}: the page, printed from the keys themselves. */
@Command(
        name = "reference",
        description = "Print every key with its form, range, default and meaning, as Markdown.",
        mixinStandardHelpOptions = true)
final class ConfigReferenceVerb implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(ConfigReference.markdown());
        out.flush();
        return Exit.DONE;
    }
}
