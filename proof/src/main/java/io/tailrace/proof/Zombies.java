package io.tailrace.proof;

import io.tailrace.contract.Health;
import java.sql.SQLException;

/**
 * Two engines and one slot. Whoever streams is stopped at its point by SIGSTOP, with every connection open; the other takes over when
 * the lease has ended by itself, and publishes; then the first one wakes up and goes on with what it had in hand. After that their
 * parts are changed.
 */
final class Zombies implements Faults {

    private final Ground ground;
    private final Deck<KillPoint> deck;
    private EngineChild streams;
    private EngineChild waits;
    private int strikes;

    Zombies(Ground ground, Deck<KillPoint> deck) {
        this.ground = ground;
        this.deck = deck;
        this.streams = ground.engine();
        ground.require(streams.flows(ground.patience()), "no engine published anything");
        this.waits = ground.engine();
        waits.requireAgain(Health.State.STANDBY, ground.patience());
    }

    @Override
    public KillPoint strike() throws SQLException {
        KillPoint point = ground.bring(streams, deck.draw());
        waits.mark();
        streams.mark();
        streams.pause();
        if (++strikes % 2 == 1) {
            // Every other time the server's word comes at once, as it does for a holder whose host is gone.
            ground.servers().endLease();
        }
        ground.write();
        waits.requireAgain(Health.State.READY, ground.patience());
        ground.write();
        Ground.pause(ground.random().nextInt(500));
        streams.resume();
        if (point.step().isPresent()) {
            streams.goOn();
        }
        EngineChild succeeded = standingBy(streams);
        streams = waits;
        waits = succeeded;
        return point;
    }

    private EngineChild standingBy(EngineChild woken) {
        EngineChild engine = woken;
        while (true) {
            try {
                engine.requireAgain(Health.State.STANDBY, ground.patience());
                return engine;
            } catch (ChildEnded ended) {
                engine = ground.afterHalt(engine, ended);
            }
        }
    }

    @Override
    public void close() {
        streams.close();
        waits.close();
    }
}
