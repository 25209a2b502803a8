package io.tailrace.system;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Who may know whom. The build keeps the modules apart by their dependencies; here stand the same rules in words, and those
 * that hold inside a module.
 */
class ArchitectureTest {

    private static final String ROOT = "io.tailrace.";

    /** Module, by its package, and the modules that it may know. */
    private static final Map<String, Set<String>> MAY_KNOW = Map.ofEntries(
            Map.entry("contract", Set.of()),
            Map.entry("client", Set.of("contract")),
            Map.entry("schema", Set.of("contract")),
            Map.entry("broker", Set.of("contract")),
            Map.entry("engine", Set.of("contract", "broker")),
            Map.entry("router", Set.of("contract", "broker")),
            Map.entry("executor", Set.of("contract", "broker", "client")),
            Map.entry("testing", Set.of("contract", "client", "executor")),
            Map.entry("operations", Set.of("contract", "broker", "client")),
            Map.entry("embedded", Set.of()),
            Map.entry("testkit", Set.of("embedded")),
            Map.entry(
                    "proof",
                    Set.of("contract", "schema", "broker", "engine", "router", "executor", "operations", "embedded")),
            Map.entry(
                    "cli",
                    Set.of(
                            "contract",
                            "client",
                            "schema",
                            "broker",
                            "engine",
                            "router",
                            "executor",
                            "operations",
                            "embedded",
                            "proof")));

    /** Stages that only compute: their tests need nothing but them. */
    private static final String[] PURE = {
        ROOT + "router.decode..",
        ROOT + "router.decide..",
        ROOT + "router.lane..",
        ROOT + "router.due..",
        ROOT + "router.deliver..",
        ROOT + "router.store..",
    };

    /** Classes that may read the time of the machine or sleep, each with its reason. */
    private static final Set<String> OWN_TIME = Set.of();

    /** Constructors with more than seven parameters, each with its reason. Records of configuration are free. */
    private static final Set<String> MANY_PARAMETERS = Set.of();

    /** Files with more than 400 lines, each with its reason. */
    private static final Set<String> LONG_FILES = Set.of(
            // One entry for each key of the configuration, in the order of its page.
            "Keys.java");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.tailrace");

    @Test
    void everyModuleKnowsOnlyWhomItMay() {
        MAY_KNOW.forEach((module, known) -> {
            List<String> others = MAY_KNOW.keySet().stream()
                    .filter(other -> !other.equals(module) && !known.contains(other))
                    .map(other -> ROOT + other + "..")
                    .toList();
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + module + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others.toArray(String[]::new))
                    .allowEmptyShould(true)
                    .check(CLASSES);
        });
        assertThat(CLASSES.stream().map(ArchitectureTest::module).distinct()).isSubsetOf(MAY_KNOW.keySet());
    }

    @Test
    void theContractIsPlainJava() {
        classes()
                .that()
                .resideInAPackage(ROOT + "contract..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(ROOT + "contract..", "java..", "org.jspecify..")
                        .and(not(resideInAPackage("java.sql.."))))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void theClientAddsOnlyJdbc() {
        classes()
                .that()
                .resideInAPackage(ROOT + "client..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        ROOT + "client..", ROOT + "contract..", "java..", "javax.sql..", "org.jspecify.."))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void pureStagesKnowNoKafkaNoDatabaseAndNoLog() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.kafka..", "java.sql..", "javax.sql..", "org.slf4j..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheTopologyKnowsKafkaStreams() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "router.topology..", ROOT + "broker..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka.streams..")
                .check(CLASSES);
    }

    /** The proof runs Debezium as it is sold, for comparison. */
    @Test
    void onlyTheReadingOfTheLogKnowsDebezium() {
        noClasses()
                .that(inMainCode())
                .and()
                .resideOutsideOfPackages(ROOT + "engine.log..", ROOT + "proof.child..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.debezium..")
                .check(CLASSES);
    }

    /** A connection may be handed on; who makes statements of it and reads rows is one package of the module. */
    @Test
    void sqlHasOnePlaceInEachModule() {
        DescribedPredicate<JavaClass> statements = assignableTo(Statement.class)
                .or(assignableTo(ResultSet.class))
                .or(type(DriverManager.class))
                .as("JDBC statements and rows");
        noClasses()
                .that(inMainCode())
                .and()
                .resideOutsideOfPackages(
                        ROOT + "client..",
                        ROOT + "schema..",
                        ROOT + "operations..",
                        ROOT + "engine.source..",
                        ROOT + "executor.claim..",
                        ROOT + "testing..",
                        ROOT + "proof..",
                        ROOT + "cli..")
                // A connection that refuses some calls has to name the results of all.
                .and(not(assignableTo(Connection.class)))
                .should()
                .dependOnClassesThat(statements)
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    /** Time is a parameter, and a wait is one that a stop can cut short. */
    @Test
    void nobodyReadsTheMachinesTimeOrSleeps() {
        noClasses()
                .that(inMainCode())
                .and(not(describe("listed", type -> OWN_TIME.contains(type.getName()))))
                .should()
                .accessTargetWhere(
                        describe("it reads the time of the machine or sleeps", ArchitectureTest::readsTimeOrSleeps))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void everyPackageSaysWhatItIsAndIsNullMarked() {
        classes()
                .should(new ArchCondition<>("be in a package with a @NullMarked package-info") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
                        events.add(new SimpleConditionEvent(
                                type, marked, type.getPackageName() + " of " + type.getSimpleName()));
                    }
                })
                .check(CLASSES);
    }

    @Test
    void constructorsStaySmall() {
        constructors()
                .that(describe(
                        "are of plain classes",
                        constructor -> !constructor.getOwner().isRecord()
                                && !constructor.getOwner().isEnum()
                                && !constructor.getModifiers().contains(JavaModifier.SYNTHETIC)
                                && !MANY_PARAMETERS.contains(
                                        constructor.getOwner().getName())))
                .should(new ArchCondition<JavaConstructor>("have at most 7 parameters") {
                    @Override
                    public void check(JavaConstructor constructor, ConditionEvents events) {
                        int count = constructor.getRawParameterTypes().size();
                        events.add(new SimpleConditionEvent(
                                constructor, count <= 7, constructor.getFullName() + " has " + count));
                    }
                })
                .check(CLASSES);
    }

    @Test
    void filesStaySmall() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : sources()) {
            long lines = Files.readString(file).lines().count();
            if (lines > 400 && !LONG_FILES.contains(String.valueOf(file.getFileName()))) {
                tooLong.add(file + " has " + lines + " lines");
            }
        }
        assertThat(tooLong).as("files of more than 400 lines").isEmpty();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            List<Path> all = new ArrayList<>();
            for (Path module : modules.map(path -> path.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(all::add);
                }
            }
            assertThat(all)
                    .as("source files below " + Path.of("..").toAbsolutePath())
                    .isNotEmpty();
            return all;
        }
    }

    /** What an operator runs, without the servers and fixtures for trying and testing. */
    private static DescribedPredicate<JavaClass> inMainCode() {
        return not(resideInAnyPackage(ROOT + "embedded..", ROOT + "testkit..")).as("main code");
    }

    /** Calls and method references alike. */
    private static boolean readsTimeOrSleeps(JavaAccess<?> access) {
        if (!(access.getTarget() instanceof CodeUnitAccessTarget target)) {
            return false;
        }
        JavaClass owner = target.getOwner();
        List<JavaClass> parameters = target.getRawParameterTypes();
        return switch (target.getName()) {
            case "currentTimeMillis" -> owner.isEquivalentTo(System.class);
            case "now" ->
                owner.getPackageName().equals("java.time")
                        && parameters.stream().noneMatch(parameter -> parameter.isEquivalentTo(Clock.class));
            case "sleep" -> owner.isAssignableTo(Thread.class) || owner.isEquivalentTo(TimeUnit.class);
            case "<init>" -> owner.isEquivalentTo(Date.class) && parameters.isEmpty();
            default -> false;
        };
    }

    private static String module(JavaClass type) {
        String rest = type.getPackageName().substring(ROOT.length());
        int dot = rest.indexOf('.');
        return dot < 0 ? rest : rest.substring(0, dot);
    }
}
