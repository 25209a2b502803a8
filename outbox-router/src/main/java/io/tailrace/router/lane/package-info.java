/**
 * Order that survives failure. A key whose row fails gets a lane; its later rows wait there, in their places, while all other keys
 * flow on. {@link io.tailrace.router.lane.LaneTable} is the state machine of a row on a lane, {@link io.tailrace.router.lane.Lanes}
 * applies it to a {@link io.tailrace.router.lane.Change}, which is written in one go. One mechanism with two users: the router's own rows are attempted in place and answer at once;
 * rows of a subscription are released to executors, and their answers come back as records. No Kafka, no clock, no chance in here.
 */
@NullMarked
package io.tailrace.router.lane;

import org.jspecify.annotations.NullMarked;
