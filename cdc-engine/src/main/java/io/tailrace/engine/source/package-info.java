/**
 * The database as a source: who may stream from it (the lease), whether it is safe to (the pre-flight), and from where.
 *
 * <p>Before a row moves, {@link io.tailrace.engine.source.SourceFacts} are read, {@link io.tailrace.engine.source.Preflight} judges
 * them without touching anything, and what it refuses names the gap and the way out. {@link io.tailrace.engine.source.Position} is
 * what was carried over from the last run.
 */
@NullMarked
package io.tailrace.engine.source;

import org.jspecify.annotations.NullMarked;
