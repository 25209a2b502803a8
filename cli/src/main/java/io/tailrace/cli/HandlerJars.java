package io.tailrace.cli;

import io.tailrace.contract.StartRefused;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The handlers in the jars on the class path. What is wrong with a jar is its owner's to mend: it is named, without a stack. */
final class HandlerJars {

    private static final String DECLARATIONS = "META-INF/services/" + CommandHandler.class.getName();

    private static final Pattern PROVIDER = Pattern.compile("Provider (\\S+) ");

    private HandlerJars() {}

    /** @throws StartRefused naming the handler that cannot be used, and where it is declared */
    static Handlers discovered(ClassLoader loader) {
        try {
            return Handlers.discovered(loader);
        } catch (ServiceConfigurationError broken) {
            String message = String.valueOf(broken.getMessage());
            String cause = broken.getCause() == null ? "" : ": " + broken.getCause();
            throw new StartRefused("handlers: " + message + cause + declared(message, loader));
        } catch (IllegalArgumentException wrong) {
            throw new StartRefused("handlers: " + wrong.getMessage());
        } catch (LinkageError incomplete) {
            throw new StartRefused("handlers: a class that they need is not in $TAILRACE_CLASSPATH: " + incomplete);
        }
    }

    private static String declared(String message, ClassLoader loader) {
        Matcher provider = PROVIDER.matcher(message);
        if (!provider.find()) {
            // Of a file that cannot be read: the message names it.
            return "";
        }
        List<String> places = new ArrayList<>();
        try {
            for (URL file : Collections.list(loader.getResources(DECLARATIONS))) {
                try (InputStream text = file.openStream()) {
                    if (new String(text.readAllBytes(), StandardCharsets.UTF_8).contains(provider.group(1))) {
                        places.add(file.toString());
                    }
                }
            }
        } catch (IOException unreadable) {
            places.add(DECLARATIONS);
        }
        return " (declared in " + String.join(", ", places) + ")";
    }
}
