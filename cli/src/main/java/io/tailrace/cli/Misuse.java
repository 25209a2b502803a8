package io.tailrace.cli;

import io.tailrace.contract.config.Suggestion;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What to say to a command line that is wrong: what is wrong with it and where more stands, not all that there is. */
final class Misuse implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException wrong, String[] arguments) {
        CommandLine line = wrong.getCommandLine();
        PrintWriter err = line.getErr();
        if (arguments.length == 0) {
            line.usage(err);
            return Exit.USAGE;
        }
        err.println(message(wrong));
        err.println("`%s --help` tells what there is."
                .formatted(line.getCommandSpec().qualifiedName()));
        return Exit.USAGE;
    }

    private static String message(ParameterException wrong) {
        CommandLine line = wrong.getCommandLine();
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            if (unmatched.isUnknownOption()) {
                return unknown("option", word, unmatched.getSuggestions());
            }
            if (!line.getSubcommands().isEmpty()) {
                List<String> verbs = List.copyOf(line.getSubcommands().keySet());
                return unknown("verb", word, Suggestion.of(word, verbs).stream().toList());
            }
        }
        String message = String.valueOf(wrong.getMessage());
        // "Invalid value for positional parameter at index 0 (<id>): 'foo' is not a row id": the end says it all.
        return message.startsWith("Invalid value for positional parameter")
                        && wrong.getCause() instanceof CommandLine.TypeConversionException cause
                ? String.valueOf(cause.getMessage())
                : message;
    }

    private static String unknown(String kind, String word, List<String> similar) {
        return "There is no %s '%s'.".formatted(kind, word)
                + (similar.isEmpty() ? "" : " Did you mean '%s'?".formatted(String.join("' or '", similar)));
    }
}
