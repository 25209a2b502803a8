/**
 * When. Everything that waits for an instant stands in one ordered index: lanes to be looked at, commands to be routed.
 * {@link io.tailrace.router.due.Agenda} remembers where the index begins, so that a tick with nothing due costs one comparison and a
 * tick with something due never walks over what was deleted before. Nothing fires early.
 */
@NullMarked
package io.tailrace.router.due;

import org.jspecify.annotations.NullMarked;
