/**
 * The database side: the tables that applications write, the functions by which commands are changed, and the publication and slot
 * through which committed rows leave.
 *
 * <p>The SQL stands in resource files, one for each version and part, in the order of {@link io.tailrace.schema.Migrations}; a version
 * that was released is never edited, only followed, and only by what the release before can live with. {@link
 * io.tailrace.schema.Schema} prints them, applies them, and compares what stands in a database with what should. The order is
 * tables → publication → slot → source row → grants, so that no row can be written that nobody captures.
 */
@NullMarked
package io.tailrace.schema;

import org.jspecify.annotations.NullMarked;
