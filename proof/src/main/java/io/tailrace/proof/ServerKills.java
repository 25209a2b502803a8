package io.tailrace.proof;

import java.sql.SQLException;

/**
 * A server dies under an engine that lives on. The engine stands still at its point while the server goes, and goes on while it is away
 * or when it is back.
 */
final class ServerKills implements Faults {

    private static final int LONGEST_OUTAGE_MS = 700;

    private final Ground ground;
    private final Deck<KillPoint> deck;
    private final Runnable kill;
    private final Runnable start;
    private EngineChild engine;

    private ServerKills(Ground ground, Deck<KillPoint> deck, Runnable kill, Runnable start) {
        this.ground = ground;
        this.deck = deck;
        this.kill = kill;
        this.start = start;
        this.engine = ground.engine();
    }

    static ServerKills ofPostgres(Ground ground, Deck<KillPoint> deck) {
        return new ServerKills(ground, deck, ground.servers()::crashPostgres, ground.servers()::startPostgres);
    }

    static ServerKills ofBroker(Ground ground, Deck<KillPoint> deck) {
        return new ServerKills(ground, deck, ground.servers()::killBroker, ground.servers()::startBroker);
    }

    @Override
    public KillPoint strike() throws SQLException {
        KillPoint point = bring(deck.draw());
        boolean stands = point.step().isPresent();
        boolean goesOnAlone = ground.random().nextBoolean();
        kill.run();
        if (stands && goesOnAlone) {
            engine.goOn();
        }
        Ground.pause(ground.random().nextInt(LONGEST_OUTAGE_MS));
        start.run();
        if (stands && !goesOnAlone) {
            engine.goOn();
        }
        return point;
    }

    private KillPoint bring(KillPoint point) throws SQLException {
        while (true) {
            try {
                return ground.bring(engine, point);
            } catch (ChildEnded ended) {
                engine = ground.afterHalt(engine, ended);
            }
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
