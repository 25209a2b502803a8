package io.tailrace.router.decide;

/**
 * Where an event goes and which rule says so.
 *
 * @param topic the destination
 * @param audited whether the audit feed gets a copy
 * @param rule the pattern that took the name, {@value #DEFAULT} if none did
 */
public record Route(String topic, boolean audited, String rule) {

    /** In the place of a pattern: the default route. */
    public static final String DEFAULT = "default";
}
