/**
 * Names: of events and commands as applications declare them, of the namespace, and of every topic, slot and group that follows
 * from it. A row meets this package when its name is judged and when a topic is chosen for it.
 */
@NullMarked
package io.tailrace.contract.name;

import org.jspecify.annotations.NullMarked;
