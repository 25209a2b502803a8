package io.tailrace.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Properties;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked once per version and user into a cache directory, from the archive that the class path
 * holds for this system.
 *
 * <p>Two processes may unpack at the same moment: each does so beside the final place and then renames. A rename of a
 * directory is one step, so a reader never meets a half-unpacked one, and the loser throws its own away.
 */
final class PostgresBinaries {

    /** Overrides where the programs are unpacked to. */
    static final String CACHE_PROPERTY = "tailrace.embedded.cache";

    private PostgresBinaries() {}

    /** The full version of the server, such as {@code 18.6.0}. */
    static String version() {
        Properties properties = new Properties();
        try (InputStream in = PostgresBinaries.class.getResourceAsStream("postgres.properties")) {
            if (in == null) {
                throw new IllegalStateException("postgres.properties is missing beside " + PostgresBinaries.class);
            }
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }

    /** The first number of the version: data directories of different ones do not mix. */
    static String majorVersion() {
        String version = version();
        return version.substring(0, version.indexOf('.'));
    }

    /** The directory that holds {@code postgres}, {@code initdb} and {@code pg_ctl}. */
    static Path directory() {
        String system = system();
        Path home = cache().resolve("postgres-" + version() + "-" + system);
        if (!Files.isDirectory(home)) {
            unpack("postgres-" + system + ".txz", home);
        }
        return home.resolve("bin");
    }

    private static Path cache() {
        String configured = System.getProperty(CACHE_PROPERTY);
        if (configured != null) {
            return Directories.create(Path.of(configured));
        }
        Path home = Path.of(System.getProperty("user.home", ""));
        if (home.isAbsolute() && Files.isWritable(home)) {
            return Directories.create(home.resolve(".cache").resolve("tailrace"));
        }
        return Directories.create(
                Path.of(System.getProperty("java.io.tmpdir"), "tailrace-" + System.getProperty("user.name")));
    }

    private static String system() {
        String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String architecture = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String os = name.startsWith("linux") ? "linux" : name.startsWith("mac") ? "darwin" : name;
        return switch (architecture) {
            case "amd64", "x86_64" -> os + "-x86_64";
            case "aarch64", "arm64" -> os + "-arm_64";
            default -> os + "-" + architecture;
        };
    }

    private static void unpack(String archive, Path home) {
        InputStream in = PostgresBinaries.class.getResourceAsStream("/" + archive);
        if (in == null) {
            throw new EmbeddedStartException("There is no embedded PostgreSQL for this system (" + archive
                    + " is not on the class path). Linux and macOS on amd64 and arm64 are covered;"
                    + " elsewhere use a PostgreSQL of your own.");
        }
        Path parent = Directories.create(home.resolveSibling("."));
        try (InputStream closing = in) {
            Path fresh = Files.createTempDirectory(parent, ".unpacking-");
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
            extract(closing, fresh);
            try {
                Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException another) {
                Directories.delete(fresh);
                if (!Files.isDirectory(home)) {
                    throw another;
                }
            }
        } catch (IOException e) {
            throw new EmbeddedStartException(
                    "Cannot unpack PostgreSQL to " + home + ": " + e + ". Choose another place with -D" + CACHE_PROPERTY
                            + "=<directory>.",
                    e);
        }
    }

    private static void extract(InputStream archive, Path into) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive, 1 << 16)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = into.resolve(entry.getName()).normalize();
                if (!target.startsWith(into)) {
                    throw new IOException("The archive points outside of itself: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                    continue;
                }
                Files.createDirectories(target.resolveSibling("."));
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else if (entry.isLink()) {
                    Files.createLink(target, into.resolve(entry.getLinkName()));
                } else {
                    Files.copy(tar, target);
                    boolean runs = (entry.getMode() & 0100) != 0;
                    Files.setPosixFilePermissions(
                            target, PosixFilePermissions.fromString(runs ? "rwxr-xr-x" : "rw-r--r--"));
                }
            }
        }
    }
}
