package io.tailrace.proof;

import java.sql.SQLException;

/** Engines are started and killed, each at one point of its life. */
final class EngineKills implements Faults {

    private final Ground ground;
    private final Deck<KillPoint> deck;

    EngineKills(Ground ground, Deck<KillPoint> deck) {
        this.ground = ground;
        this.deck = deck;
    }

    @Override
    public KillPoint strike() throws SQLException {
        KillPoint wanted = deck.draw();
        try (EngineChild engine = ground.engine()) {
            KillPoint there = ground.bring(engine, wanted);
            engine.kill();
            // What it told in its last moment counts: it may have found its place just then.
            return there == KillPoint.SEARCHING && engine.flows() ? KillPoint.RANDOM : there;
        }
    }

    @Override
    public void close() {}
}
