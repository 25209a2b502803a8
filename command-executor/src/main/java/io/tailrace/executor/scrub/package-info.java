/**
 * The last step of a row with secrets: once it is delivered or discarded, nobody needs them any more, and they are taken out of the row
 * itself. The router and operators say so through the retry topics ({@code kind: done}); an executor listens, because it has the
 * connection to the row.
 */
@NullMarked
package io.tailrace.executor.scrub;

import org.jspecify.annotations.NullMarked;
