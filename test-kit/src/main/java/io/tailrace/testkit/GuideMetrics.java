package io.tailrace.testkit;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The metrics that the operations guide names, as a scrape shows them, to hold those of a part against. */
public final class GuideMetrics {

    private final String guide;
    private final String names;

    private GuideMetrics(String guide, String names) {
        this.guide = guide;
        this.names = names;
    }

    /**
     * Those of a part.
     *
     * @param names a regular expression that takes the names of the part's metrics, and no others
     * @throws IOException when there is no guide where a module's tests find it
     */
    public static GuideMetrics named(String names) throws IOException {
        return new GuideMetrics(Files.readString(Path.of("../docs/operations.md")), names);
    }

    /** Those with a row of a table. */
    public Set<String> inTables() {
        return found("(?m)^\\| `(" + names + ")`");
    }

    /** Those anywhere in the guide: tables, prose, queries. */
    public Set<String> everywhere() {
        return found(names);
    }

    /** Those that there are. */
    public static Set<String> of(MeterRegistry registry) {
        return meters(registry).map(GuideMetrics::prometheus).collect(Collectors.toSet());
    }

    /** The same as meters. The simple registry has a gauge for each limit of a histogram; Prometheus has buckets. */
    public static Stream<Meter.Id> meters(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> !id.getName().endsWith(".histogram"));
    }

    private Set<String> found(String pattern) {
        return Pattern.compile(pattern)
                .matcher(guide)
                .results()
                .map(MatchResult::group)
                .map(name -> name.replaceAll("[|` ]|_bucket$", ""))
                .collect(Collectors.toSet());
    }

    private static String prometheus(Meter.Id id) {
        String name = id.getName().replace('.', '_');
        return switch (id.getType()) {
            case COUNTER -> name + "_total";
            case TIMER -> name + "_seconds";
            case GAUGE, DISTRIBUTION_SUMMARY -> id.getBaseUnit() == null ? name : name + "_" + id.getBaseUnit();
            case LONG_TASK_TIMER, OTHER -> name;
        };
    }
}
