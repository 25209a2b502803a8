package io.tailrace.contract.config;

import io.tailrace.contract.config.ValueType.Unreadable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the file while it is read. Whoever reads a key takes it; what nobody took is unknown. Problems are collected, not
 * thrown, so that all are reported at once.
 */
final class Section {

    private final String path;
    private final Map<?, ?> node;
    private final Report report;
    private final Set<String> taken = new HashSet<>();

    private Section(String path, Map<?, ?> node, Report report) {
        this.path = path;
        this.node = node;
        this.report = report;
        report.sections.add(this);
    }

    static Section top(Map<?, ?> tree, Report report) {
        return new Section("", tree, report);
    }

    /** From the top of the file. */
    String path() {
        return path;
    }

    /** Whether this section says anything under a name, be it that it has no value. */
    boolean has(String name) {
        return node.containsKey(name);
    }

    /** A problem of what stands under a name. */
    void report(String name, String problem) {
        report.add(pathOf(name), problem);
    }

    /** A problem of the section itself. */
    void report(String problem) {
        report.add(path, problem);
    }

    /** What a key says, or its default; a problem is reported now and met again when the value is asked for. */
    <T extends Comparable<? super T>> Value<T> value(Key<T> key) {
        String name = key.path().substring(key.path().lastIndexOf('.') + 1);
        taken.add(name);
        String here = pathOf(name);
        try {
            T value = key.type().reading().read(report.placeholders.fill(textOf(key, name)));
            if (!key.allows(value)) {
                throw new Unreadable("must be " + key.range());
            }
            return Value.of(value);
        } catch (Unreadable problem) {
            report.add(here, problem.problem());
            return Value.missing();
        }
    }

    private String textOf(Key<?> key, String name) throws Unreadable {
        Object found = node.get(name);
        if (found instanceof Map || found instanceof List) {
            throw new Unreadable("must be a single value (" + key.type().form() + ")");
        }
        if (found != null) {
            return found.toString();
        }
        if (node.containsKey(name)) {
            throw new Unreadable("has no value");
        }
        if (key.byDefault() == null) {
            throw new Unreadable("is missing");
        }
        return key.byDefault();
    }

    /** A mapping below; empty when it is not there. */
    Section section(String name) {
        taken.add(name);
        Object found = node.get(name);
        if (found != null && !(found instanceof Map)) {
            report.add(pathOf(name), "must be a section with keys of its own");
        }
        return new Section(pathOf(name), found instanceof Map<?, ?> map ? map : Map.of(), report);
    }

    /** The elements of a list of mappings. */
    List<Section> list(String name) {
        taken.add(name);
        Object found = node.get(name);
        if (found == null) {
            return List.of();
        }
        if (!(found instanceof List<?> elements)) {
            report.add(pathOf(name), "must be a list");
            return List.of();
        }
        List<Section> sections = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            String at = pathOf(name) + "[" + i + "]";
            if (elements.get(i) instanceof Map<?, ?> map) {
                sections.add(new Section(at, map, report));
            } else {
                report.add(at, "must be a section with keys of its own");
            }
        }
        return sections;
    }

    /** The same; a list that is empty or not there is a problem. */
    List<Section> filledList(String name, String problem) {
        Object found = node.get(name);
        if (found == null || (found instanceof List<?> elements && elements.isEmpty())) {
            report(name, problem);
        }
        return list(name);
    }

    /** All mappings below, by names that the user chose. */
    Map<String, Section> sections() {
        Map<String, Section> named = new TreeMap<>();
        for (Object name : node.keySet()) {
            named.put(String.valueOf(name), section(String.valueOf(name)));
        }
        return named;
    }

    /** All values below, by names that the user chose; nested names are joined by dots. */
    Map<String, String> texts() {
        Map<String, String> texts = new HashMap<>();
        collect("", node, texts);
        return texts;
    }

    /** All lists of texts below, by names that the user chose. */
    Map<String, List<String>> lists() {
        Map<String, List<String>> lists = new TreeMap<>();
        node.forEach((key, found) -> {
            String name = String.valueOf(key);
            taken.add(name);
            if (found instanceof List<?> elements && elements.stream().allMatch(String.class::isInstance)) {
                lists.put(name, elements.stream().map(String.class::cast).toList());
            } else {
                report.add(pathOf(name), "must be a list of texts");
            }
        });
        return lists;
    }

    /** A list of texts; one that is empty or not there is a problem. */
    Value<List<String>> texts(Key<?> key) {
        String name = key.path().substring(key.path().lastIndexOf('.') + 1);
        taken.add(name);
        Object found = node.get(name);
        if (!(found instanceof List<?> elements)
                || elements.isEmpty()
                || !elements.stream().allMatch(String.class::isInstance)) {
            report.add(pathOf(name), "must be a list of texts, with one at least");
            return Value.missing();
        }
        return Value.of(elements.stream().map(String.class::cast).toList());
    }

    private void collect(String prefix, Map<?, ?> nodes, Map<String, String> texts) {
        nodes.forEach((key, found) -> {
            String name = prefix + key;
            taken.add(String.valueOf(key));
            if (found instanceof Map<?, ?> deeper) {
                collect(name + ".", deeper, texts);
                return;
            }
            try {
                if (found == null || found instanceof List) {
                    throw new Unreadable("must be a single value");
                }
                texts.put(name, report.placeholders.fill(found.toString()));
            } catch (Unreadable problem) {
                report.add(pathOf(name), problem.problem());
            }
        });
    }

    /** Makes the value of this section, unless a part of it is missing; what the parts say against each other is a problem. */
    <T> Value<T> make(Supplier<T> maker) {
        return make(path, maker);
    }

    /** Makes the value that one key of this section names. */
    <T> Value<T> make(Key<?> key, Supplier<T> maker) {
        return make(key.path(), maker);
    }

    private <T> Value<T> make(String at, Supplier<T> maker) {
        try {
            return Value.of(maker.get());
        } catch (Value.Missing reported) {
            return Value.missing();
        } catch (IllegalArgumentException contradiction) {
            report.add(at, String.valueOf(contradiction.getMessage()));
            return Value.missing();
        }
    }

    private void reportUnknown() {
        for (Object key : node.keySet()) {
            String name = String.valueOf(key);
            if (!taken.contains(name)) {
                String here = pathOf(name);
                String meant = Suggestion.of(here, report.known)
                        .map(suggestion -> "; did you mean " + suggestion + "?")
                        .orElse("");
                report.add(here, "is not known" + meant);
            }
        }
    }

    private String pathOf(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** What was read of a key or section, or that a problem was reported instead. */
    record Value<T>(@Nullable T orNull) {

        static <T> Value<T> of(T value) {
            return new Value<>(value);
        }

        static <T> Value<T> missing() {
            return new Value<>(null);
        }

        T get() {
            if (orNull == null) {
                throw new Missing();
            }
            return orNull;
        }

        /** The problem is reported already. */
        static final class Missing extends RuntimeException {
            private static final long serialVersionUID = 1L;

            Missing() {
                super(null, null, false, false);
            }
        }
    }

    /** What all sections of one file share. */
    static final class Report {

        private final Map<String, Integer> lines;
        private final Placeholders placeholders;
        private final List<String> known;
        private final List<Section> sections = new ArrayList<>();
        private final List<Problem> problems = new ArrayList<>();

        Report(Map<String, Integer> lines, Placeholders placeholders, List<String> known) {
            this.lines = lines;
            this.placeholders = placeholders;
            this.known = known;
        }

        void add(String path, String message) {
            Integer line = lines.get(path);
            problems.add(new Problem(
                    path, line == null ? java.util.OptionalInt.empty() : java.util.OptionalInt.of(line), message));
        }

        /** All of them, in the order of the file; those of keys that do not stand there come last. */
        List<Problem> problems() {
            List.copyOf(sections).forEach(Section::reportUnknown);
            return problems.stream()
                    .sorted(java.util.Comparator.comparingInt(
                            problem -> problem.line().orElse(Integer.MAX_VALUE)))
                    .toList();
        }
    }
}
