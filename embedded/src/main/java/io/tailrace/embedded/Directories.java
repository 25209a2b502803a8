package io.tailrace.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories of embedded servers: kept ones are made if missing, temporary ones are removed with all they hold. */
final class Directories {

    private Directories() {}

    static Path temporary(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot make a temporary directory", e);
        }
    }

    static Path create(Path directory) {
        try {
            return Files.createDirectories(directory.toAbsolutePath().normalize());
        } catch (IOException e) {
            throw new EmbeddedStartException("Cannot make the directory " + directory + ": " + e, e);
        }
    }

    /** Deletes a tree. A file that is gone already is no error: servers remove their own while they stop. */
    static void delete(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException gone) {
            delete(root);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete " + root, e);
        }
    }
}
