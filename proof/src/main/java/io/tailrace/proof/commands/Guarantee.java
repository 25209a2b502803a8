package io.tailrace.proof.commands;

/** How the handlers have their effects. */
public enum Guarantee {
    /** Over the connection of the command: what is proved. */
    EXACTLY_ONCE,
    /** Over a connection of their own, as an effect elsewhere would be: the control. */
    AT_LEAST_ONCE
}
