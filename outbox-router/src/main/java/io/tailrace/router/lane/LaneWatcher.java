package io.tailrace.router.lane;

/** Hears of what lanes there are: for the metrics. */
public interface LaneWatcher {

    /** Hears nothing. */
    LaneWatcher NONE = new LaneWatcher() {
        @Override
        public void blocked(LaneKey key) {}

        @Override
        public void flowing(LaneKey key, long blockedForMillis) {}

        @Override
        public void rows(int delta, long bytesDelta) {}
    };

    /** A key was blocked. */
    void blocked(LaneKey key);

    /** A key flows again. */
    void flowing(LaneKey key, long blockedForMillis);

    /** Rows came onto a lane or left one. */
    void rows(int delta, long bytesDelta);
}
