/**
 * What of a row is copied where people look: the audit feed and the dead letters. A copy on the audit feed goes without the values that
 * the configuration calls secret; a dead letter of a row that has any refers to its row. Pure.
 */
@NullMarked
package io.tailrace.router.redact;

import org.jspecify.annotations.NullMarked;
