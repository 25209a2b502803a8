package io.tailrace.router.lane;

/** Hears of what lanes there are: for the metrics. */
public interface LaneWatcher {

    /** Hears nothing. */
    LaneWatcher NONE = new LaneWatcher() {
        @Override
        public void blocked(LaneKey key, long since) {}

        @Override
        public void flowing(LaneKey key, long since, long now) {}

        @Override
        public void rows(int delta, long bytesDelta) {}
    };

    /** A key was blocked; the instants are milliseconds since the epoch. */
    void blocked(LaneKey key, long since);

    /** A key that was blocked since then flows again. */
    void flowing(LaneKey key, long since, long now);

    /** Rows came onto a lane or left one. */
    void rows(int delta, long bytesDelta);
}
