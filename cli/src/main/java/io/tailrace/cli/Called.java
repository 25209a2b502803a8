package io.tailrace.cli;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** The name under which the user called us: what help shows can then be typed as it stands. The launcher passes it on. */
final class Called {

    private static final String DEFAULT = "tailrace";

    /** The command, and nothing that is part of a path, a file or a URL. */
    private static final Pattern COMMAND = Pattern.compile("(?<![\\w./-])tailrace (?=[a-z])");

    private Called() {}

    static String name() {
        return System.getProperty("tailrace.called", DEFAULT);
    }

    /** Puts the name into the help of a verb and of all below it. */
    static void putInto(CommandLine line) {
        if (!name().equals(DEFAULT)) {
            String replacement = Matcher.quoteReplacement(name() + " ");
            CommandLine.Model.UsageMessageSpec help = line.getCommandSpec().usageMessage();
            help.footer(Arrays.stream(help.footer())
                    .map(text -> COMMAND.matcher(text).replaceAll(replacement))
                    .toArray(String[]::new));
            line.getSubcommands().values().forEach(Called::putInto);
        }
    }
}
