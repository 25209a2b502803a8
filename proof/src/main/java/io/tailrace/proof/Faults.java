package io.tailrace.proof;

import io.tailrace.proof.ProofSettings.Act;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;

/** One kind of fault, struck as often as wanted. When it is closed no engine runs any more, and both servers do. */
interface Faults extends AutoCloseable {

    /** Strikes once; says where the engine was. */
    KillPoint strike() throws SQLException;

    @Override
    void close();

    static Faults of(Act act, Ground ground) {
        return switch (act.fault()) {
            case ENGINE -> new EngineKills(ground, Deck.of(act.points(), ground.random()));
            case POSTGRES -> ServerKills.ofPostgres(ground, streaming(act, ground));
            case BROKER -> ServerKills.ofBroker(ground, streaming(act, ground));
            case ZOMBIE -> new Zombies(ground, streaming(act, ground));
        };
    }

    /** Who lives on has found his place long ago. */
    private static Deck<KillPoint> streaming(Act act, Ground ground) {
        Set<KillPoint> points = EnumSet.copyOf(act.points());
        points.remove(KillPoint.SEARCHING);
        return Deck.of(points, ground.random());
    }
}
