/**
 * What an operator can ask or change: typed operations behind the verbs of the command line.
 */
@NullMarked
package io.tailrace.operations;

import org.jspecify.annotations.NullMarked;
