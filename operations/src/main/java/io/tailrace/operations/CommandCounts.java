package io.tailrace.operations;

/**
 * Commands by what they wait for, or what became of them. Each is in one of these, but for {@code pending}, which is the sum of
 * {@code due}, {@code scheduled} and {@code blocked}.
 *
 * @param due may run now
 * @param scheduled not yet, by {@code run_at} or the wait after a failure
 * @param blocked may run but for an earlier row of their key that waits, or for a name that is held
 */
public record CommandCounts(
        long pending, long due, long scheduled, long blocked, long completed, long dead, long cancelled) {}
