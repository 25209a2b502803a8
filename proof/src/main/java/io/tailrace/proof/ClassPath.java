package io.tailrace.proof;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** This JVM's class path for its children, in jars alone: only such classes can be shared between JVMs. */
final class ClassPath {

    private ClassPath() {}

    /** Packs what stands in directories, as it does while the project is built, into jars in this one. */
    static String inJars(Path directory) {
        List<String> entries = new ArrayList<>();
        try {
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                Path path = Path.of(entry);
                if (entry.isEmpty()) {
                    continue; // Java would look into the current directory; there is nothing of ours.
                }
                if (Files.isDirectory(path)) {
                    Path jar = directory.resolve("classes-" + entries.size() + ".jar");
                    pack(path, jar);
                    entries.add(jar.toString());
                } else if (Files.exists(path)) {
                    entries.add(entry);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot pack the class path into " + directory, e);
        }
        return String.join(File.pathSeparator, entries);
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> tree = Files.walk(classes)) {
            out.setLevel(0);
            // Whoever starts it in a directory that is on the class path: what is written here is not for itself.
            Path ours = jar.toAbsolutePath().getParent();
            for (Path file : tree.filter(Files::isRegularFile)
                    .filter(file -> !file.toAbsolutePath().startsWith(ours))
                    .sorted()
                    .toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
    }
}
