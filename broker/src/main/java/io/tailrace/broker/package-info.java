/**
 * What every part that speaks to Kafka shares: clients set up for exactly-once, topics made or verified before use.
 */
@NullMarked
package io.tailrace.broker;

import org.jspecify.annotations.NullMarked;
