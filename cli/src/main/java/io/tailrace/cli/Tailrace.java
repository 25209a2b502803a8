package io.tailrace.cli;

import java.util.Set;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;

/** The root of the command line. */
@Command(
        name = "tailrace",
        description = {
            "Carries what an application commits to PostgreSQL out to Kafka and back to handlers: exactly once and in order.",
            ""
        },
        mixinStandardHelpOptions = true,
        versionProvider = Tailrace.Version.class,
        subcommands = {
            DemoVerb.class,
            ProveVerb.class,
            DevVerb.class,
            RunVerb.class,
            DbVerb.class,
            EngineVerb.class,
            RoutesVerb.class,
            DlqVerb.class,
            CommandsVerb.class,
            SubscriptionsVerb.class,
            StatusVerb.class,
            ConfigVerb.class,
            HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:it was tried and did not work, or not for every row",
            "2:the command line is wrong",
            "3:refused: configuration, database or topics do not allow it, and nothing was begun"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tailrace demo --once                         see the whole of it work",
            "  tailrace prove engine --kills 200            see it lose nothing, however often it is killed",
            "  tailrace prove router                        see it keep the order, through retry, dead letter and replay",
            "  tailrace prove commands                      see it do everything once, whatever is killed",
            "  tailrace dev                                 PostgreSQL, Kafka and Tailrace on this machine",
            "  tailrace run --config tailrace.yml           everything, against your PostgreSQL and Kafka",
            "  tailrace dlq list -o json                    what is parked, and why",
            "",
            "Data goes to standard output, logs and progress to standard error."
        })
final class Tailrace implements Runnable {

    private static final int HELP_WIDTH = 120;

    /** Verbs whose log is wanted. */
    private static final Set<String> RUN_FOR_LONG = Set.of("run", "dev", "demo");

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandLine.Model.CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Tailrace());
        line.setCommandName(Called.name());
        Called.putInto(line);
        return line.registerConverter(UUID.class, Tailrace::rowId)
                .setParameterExceptionHandler(new Misuse())
                .setExecutionExceptionHandler(new Failures())
                .setExecutionStrategy(Tailrace::execute)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(HELP_WIDTH);
    }

    private static UUID rowId(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException notOne) {
            throw new CommandLine.TypeConversionException("'" + text + "' is not a row id (a UUID)");
        }
    }

    private static int execute(CommandLine.ParseResult parsed) {
        boolean runsForLong = parsed.hasSubcommand()
                && RUN_FOR_LONG.contains(parsed.subcommand().commandSpec().name());
        if (!runsForLong) {
            Logging.withoutKafkaClients();
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do");
    }

    /** From the manifest of the jar that runs. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Tailrace.class.getPackage().getImplementationVersion();
            return new String[] {
                "tailrace " + (version == null ? "(not packaged)" : version),
                "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
            };
        }
    }
}
