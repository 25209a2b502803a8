/**
 * Headers: the one list of header names, the one value that carries them and the one codec between text and types. Decoding
 * never throws; delivery headers are replaced, never appended.
 */
@NullMarked
package io.tailrace.contract.header;

import org.jspecify.annotations.NullMarked;
