package io.tailrace.engine;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.capture.CapturedColumns;
import io.tailrace.engine.publish.PositionTopic;
import io.tailrace.engine.recover.Order;
import io.tailrace.engine.recover.RawTopics;
import io.tailrace.engine.recover.Recovery;
import io.tailrace.engine.recover.Report;
import io.tailrace.engine.source.Position;
import io.tailrace.engine.source.Preflight;
import io.tailrace.engine.source.Preflight.Problem;
import io.tailrace.engine.source.Preflight.Start;
import io.tailrace.engine.source.Source;
import io.tailrace.engine.source.SourceConnections;
import io.tailrace.engine.source.SourceFacts;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/** What an operator can do about an engine that does not run. Stateless; opens what it needs for each call. */
public final class EngineOperations {

    private final TailraceConfig config;
    private final SourceConnections connections;
    private final Preflight preflight;

    /** For the source of a configuration. */
    public EngineOperations(TailraceConfig config) {
        this.config = Objects.requireNonNull(config);
        this.connections = new SourceConnections(config.source());
        this.preflight = preflight(config);
    }

    static Preflight preflight(TailraceConfig config) {
        return new Preflight(
                config.namespace().value(),
                config.source().database(),
                config.slot(),
                config.publication(),
                config.source().tables(),
                CapturedColumns.of(config.source().tables()));
    }

    /**
     * What an engine would be refused for by database and position, in the words in which it would say it; empty when it would start.
     * Changes nothing, takes no lease and can be asked while an engine runs.
     *
     * @throws SQLException when the database cannot be asked
     * @throws org.apache.kafka.common.KafkaException when Kafka cannot be asked
     */
    public List<String> refusals() throws SQLException {
        Source source = new Source(connections, preflight);
        // Twice: an engine that runs moves position and slot while they are looked at. The slot as it was before the
        // position is never ahead of it, the log as it is after it never behind, unless something is wrong.
        SourceFacts before = source.facts();
        Map<String, String> topics = new RawTopics(config).ids();
        String positions = config.topicNames().positions();
        Optional<Position> last = topics.containsKey(positions)
                ? new PositionTopic(config.kafka(), positions, config.slot()).last()
                : Optional.empty();
        SourceFacts facts = source.facts().withSlot(before.slot());
        List<String> refusals = new ArrayList<>(words(preflight.problems(facts)));
        if (facts.owner().isPresent()
                && preflight.start(
                                facts,
                                last,
                                topics.getOrDefault(config.topicNames().rawEvents(), ""),
                                topics.getOrDefault(config.topicNames().rawCommands(), ""))
                        instanceof Start.Refused refused) {
            refusals.addAll(words(refused.problems()));
        }
        return List.copyOf(refusals);
    }

    /** The same as far as the database alone can tell. */
    public List<String> refusalsWithoutPosition() throws SQLException {
        return words(preflight.problems(new Source(connections, preflight).facts()));
    }

    /**
     * Brings the source to where an engine can start; see {@link Recovery}.
     *
     * @param progress hears, in words, what is under way
     */
    public Report recover(Order order, Clock clock, Consumer<String> progress) throws SQLException {
        return new Recovery(config, connections, preflight, clock, progress).run(order);
    }

    private static List<String> words(List<Problem> problems) {
        return problems.stream().map(Problem::text).toList();
    }
}
