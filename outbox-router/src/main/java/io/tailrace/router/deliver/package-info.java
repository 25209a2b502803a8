/**
 * What leaves the router, composed header by header: routed events, due commands, released and buried rows, the record that shows a
 * waiting row. Key and value are those of the row, untouched; only the delivery headers differ.
 */
@NullMarked
package io.tailrace.router.deliver;

import org.jspecify.annotations.NullMarked;
