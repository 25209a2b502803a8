@NullMarked
package io.tailrace.proof.commands;

import org.jspecify.annotations.NullMarked;
