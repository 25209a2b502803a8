package io.tailrace.proof;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Points to be drawn, each as often as every other, in an order that only the seed knows. Not thread-safe. */
final class Deck {

    private final List<KillPoint> all;
    private final Random random;
    private final List<KillPoint> left = new ArrayList<>();

    private Deck(List<KillPoint> all, Random random) {
        this.all = all;
        this.random = random;
    }

    static Deck of(Collection<KillPoint> points, Random random) {
        if (points.isEmpty()) {
            throw new IllegalArgumentException("there is no point to choose from");
        }
        return new Deck(points.stream().sorted().toList(), random);
    }

    KillPoint draw() {
        if (left.isEmpty()) {
            left.addAll(all);
            Collections.shuffle(left, random);
        }
        return left.remove(left.size() - 1);
    }
}
