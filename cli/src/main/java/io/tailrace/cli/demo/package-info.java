/**
 * The whole main job on a scripted shop: {@code Demo} starts everything and tells the story, {@code Shop} writes orders like an
 * application would, {@code ShopHandlers} run its commands, {@code Witness} reads the topics like any consumer would, and {@code
 * Tally} compares what was committed with what was seen. Witness and tally share no code with the parts they judge.
 */
@NullMarked
package io.tailrace.cli.demo;

import org.jspecify.annotations.NullMarked;
