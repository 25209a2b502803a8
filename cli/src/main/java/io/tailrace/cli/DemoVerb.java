package io.tailrace.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code demo}. */
@Command(name = "demo")
final class DemoVerb implements Callable<Integer> {
    @Override
    public Integer call() {
        return Exit.DONE;
    }
}
