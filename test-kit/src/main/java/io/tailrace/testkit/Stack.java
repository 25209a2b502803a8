package io.tailrace.testkit;

import io.tailrace.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/**
 * What one test sees of the shared servers: a database of its own, empty, and a namespace of its own, with which it begins the
 * names of its topics, groups and slots. Both are made when first asked for and removed after the test.
 *
 * <p>Tests get it as a parameter: see {@link RealParts}. Thread-safe.
 */
public final class Stack {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String namespace;
    private @Nullable String database;
    private boolean topicsMade;

    /** The process id keeps the tests of two JVMs apart, should they share a broker. */
    Stack() {
        this.namespace = "t" + Long.toString(ProcessHandle.current().pid(), 36) + "x" + COUNT.incrementAndGet();
    }

    /** Lower-case letters and digits; no other test has it. */
    public String namespace() {
        return namespace;
    }

    /** The shared database server, for its outages. Every test finds it running. */
    public EmbeddedPostgres postgres() {
        return SharedServers.instance().postgres();
    }

    /** The shared broker, for its outages. Every test finds it running. */
    public KafkaServer kafka() {
        return SharedServers.instance().kafka();
    }

    /** Name of this test's database. */
    public synchronized String database() {
        String name = database;
        if (name == null) {
            name = namespace;
            postgres().createDatabase(name);
            database = name;
        }
        return name;
    }

    /** Makes one more empty database, removed with the first. */
    public String anotherDatabase(String suffix) {
        String name = namespace + "_" + suffix;
        postgres().createDatabase(name);
        return name;
    }

    /** JDBC URL of this test's database, as superuser. */
    public String jdbcUrl() {
        return postgres().jdbcUrl(database());
    }

    /** A new connection as superuser; the caller closes it. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl());
    }

    /** Runs statements, each in a transaction of its own. */
    public void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** What clients call {@code bootstrap.servers}. */
    public String bootstrapServers() {
        synchronized (this) {
            topicsMade = true;
        }
        return kafka().bootstrapServers();
    }

    /** Makes a topic {@code <namespace>.<name>} and returns its full name. */
    public String createTopic(String name, int partitions, Map<String, String> settings) {
        String topic = namespace + "." + name;
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
            awaitKnown(admin, topic);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Cannot create topic " + topic, e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        return topic;
    }

    /** The controller has made it; the broker that clients ask hears of it a moment later. */
    private static void awaitKnown(Admin admin, String topic) throws ExecutionException, InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!admin.listTopics().names().get().contains(topic)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("The broker does not know topic " + topic + " 30 s after it was made");
            }
        }
    }

    /** Makes a topic {@code <namespace>.<name>} with the broker's settings. */
    public String createTopic(String name, int partitions) {
        return createTopic(name, partitions, Map.of());
    }

    /** Reads topics as any consumer would. */
    public TopicReader reader() {
        return TopicReader.on(bootstrapServers());
    }

    /** A new administrative client; the caller closes it. */
    public Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
    }

    /** Nobody may write this topic any more, full name, until {@link #allowWrites}; all else stays allowed. */
    public void forbidWrites(String topic) {
        ResourcePattern resource = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
        String everybody = "User:*";
        // Once there is a rule for a topic, what no rule allows is forbidden.
        List<AclBinding> rules = List.of(
                new AclBinding(
                        resource, new AccessControlEntry(everybody, "*", AclOperation.ALL, AclPermissionType.ALLOW)),
                new AclBinding(
                        resource, new AccessControlEntry(everybody, "*", AclOperation.WRITE, AclPermissionType.DENY)));
        try (Admin admin = admin()) {
            admin.createAcls(rules).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Cannot forbid writes of " + topic, e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Takes {@link #forbidWrites} back. */
    public void allowWrites(String topic) {
        AclBindingFilter all = new AclBindingFilter(
                new ResourcePatternFilter(ResourceType.TOPIC, topic, PatternType.LITERAL),
                AccessControlEntryFilter.ANY);
        try (Admin admin = admin()) {
            admin.deleteAcls(List.of(all)).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Cannot allow writes of " + topic, e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** This test's topics, sorted. */
    public Set<String> topics() {
        try (Admin admin = admin()) {
            return admin.listTopics().names().get().stream()
                    .filter(topic -> topic.startsWith(namespace + "."))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (ExecutionException e) {
            throw new IllegalStateException("Cannot list topics", e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    void cleanUp() throws SQLException {
        SharedServers.instance().mend();
        boolean topics;
        boolean databases;
        synchronized (this) {
            topics = topicsMade;
            databases = database != null;
        }
        if (databases) {
            dropDatabases();
        }
        if (topics) {
            deleteTopics();
        }
    }

    /** A slot holds its database and the WAL of the whole server, so slots go first, and before them who streams from them. */
    private void dropDatabases() throws SQLException {
        String own = "'^" + Pattern.quote(namespace).replace("\\Q", "").replace("\\E", "") + "(_|$)'";
        try (Connection connection = DriverManager.getConnection(postgres().jdbcUrl());
                Statement statement = connection.createStatement()) {
            for (String name : names(statement, "SELECT datname FROM pg_database WHERE datname ~ " + own)) {
                statement.execute("ALTER DATABASE \"" + name + "\" ALLOW_CONNECTIONS false");
                statement.execute(
                        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '" + name + "'");
                statement.execute(
                        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = '" + name
                                + "'");
                for (String prepared :
                        names(statement, "SELECT gid FROM pg_prepared_xacts WHERE database = '" + name + "'")) {
                    throw new IllegalStateException(
                            "The test left the prepared transaction " + prepared + " in " + name);
                }
                statement.execute("DROP DATABASE \"" + name + "\" WITH (FORCE)");
            }
        }
    }

    private static List<String> names(Statement statement, String query) throws SQLException {
        List<String> names = new ArrayList<>();
        try (var rows = statement.executeQuery(query)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    private void deleteTopics() {
        Set<String> mine = topics();
        try (Admin admin = admin()) {
            admin.deleteTopics(mine).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Cannot delete topics " + mine, e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted", e);
    }
}
