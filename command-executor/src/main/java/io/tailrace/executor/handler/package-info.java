/**
 * What an application writes: handlers of commands, what they are given and what they answer. Nothing here knows where a command
 * comes from or how its end is written down.
 */
@NullMarked
package io.tailrace.executor.handler;

import org.jspecify.annotations.NullMarked;
