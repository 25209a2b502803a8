package io.tailrace.router.topology;

import io.tailrace.router.deadletter.LetterForm;
import io.tailrace.router.decode.Door;
import io.tailrace.router.lane.LaneLimits;
import io.tailrace.router.redact.Redaction;

/**
 * What each row is held to, from its arrival to its dead letter.
 *
 * @param door what may come in whole
 * @param limits of lanes
 * @param redaction of copies
 * @param letters how dead letters look
 */
public record RowRules(Door door, LaneLimits limits, Redaction redaction, LetterForm letters) {}
