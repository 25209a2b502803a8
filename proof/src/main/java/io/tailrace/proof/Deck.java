package io.tailrace.proof;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Points to be drawn, each as often as every other, in an order that only the seed knows. Not thread-safe. */
public final class Deck<P extends Comparable<P>> {

    private final List<P> all;
    private final Random random;
    private final List<P> left = new ArrayList<>();

    private Deck(List<P> all, Random random) {
        this.all = all;
        this.random = random;
    }

    /** @param points at least one */
    public static <P extends Comparable<P>> Deck<P> of(Collection<P> points, Random random) {
        if (points.isEmpty()) {
            throw new IllegalArgumentException("there is no point to choose from");
        }
        return new Deck<>(points.stream().sorted().toList(), random);
    }

    /** The next one; when all were drawn they are shuffled anew. */
    public P draw() {
        if (left.isEmpty()) {
            left.addAll(all);
            Collections.shuffle(left, random);
        }
        return left.remove(left.size() - 1);
    }

    /** It was drawn in vain, and comes again after those that are left: one that cannot be hit for a while holds up no other. */
    public void putBack(P point) {
        left.add(0, point);
    }
}
