package io.tailrace.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The machine, without its name. */
public record Machine(int cores, long memoryMiB, String system, String architecture) {

    /** This one. */
    public static Machine here() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize() >> 20,
                system.getName(),
                system.getArch());
    }

    /**
     * Versions of all that took part.
     *
     * @param postgres as the server says
     */
    public static Map<String, String> versions(String postgres) {
        Properties built = new Properties();
        try (InputStream in = Machine.class.getResourceAsStream("/io/tailrace/benchmarks/versions.properties")) {
            built.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> versions = new LinkedHashMap<>();
        for (String name : List.of("tailrace", "debezium", "kafka", "pgjdbc")) {
            versions.put(name, built.getProperty(name));
        }
        versions.put("postgresql", postgres);
        versions.put("java", System.getProperty("java.runtime.version", "unknown"));
        return versions;
    }

    /** One line for people. */
    public String line(Map<String, String> versions) {
        return "%d cores, %d MiB, %s %s, shared by contender, broker and database; %s%n"
                .formatted(cores, memoryMiB, system, architecture, versions);
    }
}
