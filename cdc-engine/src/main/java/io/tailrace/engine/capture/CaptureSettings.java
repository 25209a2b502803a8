package io.tailrace.engine.capture;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.OutboxMode;

/**
 * What the mapping of rows depends on.
 *
 * @param ceSource value of {@code ce_source}
 * @param rawEvents topic of outbox rows
 * @param rawCommands topic of command rows and control messages
 * @param tables whose rows are taken
 * @param mode what events are expected to be
 * @param slot whose heartbeats are ours
 * @param epoch of the raw topics
 * @param limit of a record
 */
public record CaptureSettings(
        String ceSource,
        String rawEvents,
        String rawCommands,
        TableNames tables,
        OutboxMode mode,
        String slot,
        int epoch,
        SizeLimit limit) {}
