package io.tailrace.engine.log;

/**
 * Where a change stood in the log.
 *
 * @param commitLsn end of the last commit before
 * @param txId its transaction, 32 bits; 0 when it belongs to none
 * @param lsn its own, comparable only within its transaction
 * @param commitMicros when the transaction was committed, microseconds since the epoch by the database's clock; 0 if unknown
 */
public record LogPoint(long commitLsn, long txId, long lsn, long commitMicros) {}
