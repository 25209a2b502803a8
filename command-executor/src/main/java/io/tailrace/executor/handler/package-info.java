/**
 * What an application writes: handlers of commands and of events, what stands around them, what they are given and what they answer. Nothing
 * here knows where a row comes from or how its end is written down.
 */
@NullMarked
package io.tailrace.executor.handler;

import org.jspecify.annotations.NullMarked;
