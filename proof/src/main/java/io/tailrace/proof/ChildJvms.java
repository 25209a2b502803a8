package io.tailrace.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts children. They live for seconds, hundreds of them one after the other, so what counts is how soon one is there: the first of a
 * kind writes down the classes that it has loaded when it ends in order, and the others share them.
 */
public final class ChildJvms {

    private final Path directory;
    private final String classPath;

    /** Children with logs, jars and archives in that directory. */
    public ChildJvms(Path directory) {
        this.directory = directory;
        this.classPath = ClassPath.inJars(directory);
    }

    /**
     * Starts one.
     *
     * @param name of its log
     * @param heap as in {@code -Xmx}
     */
    public ChildProcess start(String name, Class<?> main, String heap, List<String> arguments) {
        List<String> options =
                Files.exists(archive(main)) ? List.of("-XX:SharedArchiveFile=" + archive(main)) : List.of();
        return start(name, main, heap, options, arguments);
    }

    /** Starts the first of a kind: when it ends in order there is an archive. */
    public ChildProcess startFirst(String name, Class<?> main, String heap, List<String> arguments) {
        return start(name, main, heap, List.of("-XX:ArchiveClassesAtExit=" + archive(main)), arguments);
    }

    private ChildProcess start(String name, Class<?> main, String heap, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Not for those that have no archive, or cannot use it: no word of it.
        command.addAll(List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
        command.add("-Xlog:disable");
        command.addAll(options);
        command.add("-Dlogback.configurationFile=io/tailrace/proof/child-logback.xml");
        command.add(main.getName());
        command.addAll(arguments);
        Path log = directory.resolve(name + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("CLASSPATH", classPath);
        try {
            return new ChildProcess(name, builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + main.getName(), e);
        }
    }

    private Path archive(Class<?> main) {
        return directory.resolve(main.getSimpleName() + ".jsa");
    }
}
