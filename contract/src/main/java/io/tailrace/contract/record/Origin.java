package io.tailrace.contract.record;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * On whose behalf a row was written: carried from the transaction that inserted it to the handler that runs it.
 *
 * @param tenantId at most {@value #MAX_ID} characters
 * @param userId at most {@value #MAX_ID} characters
 * @param userRoles comma-separated, at most {@value #MAX_ROLES} characters
 * @param correlationId at most {@value #MAX_ID} characters
 * @param causationId at most {@value #MAX_ID} characters
 * @param traceparent W3C trace context, carried verbatim, at most {@value #MAX_TRACEPARENT} characters
 */
public record Origin(
        @Nullable String tenantId,
        @Nullable String userId,
        @Nullable String userRoles,
        @Nullable String correlationId,
        @Nullable String causationId,
        @Nullable String traceparent) {

    /** Longest tenant, user, correlation and causation id. */
    public static final int MAX_ID = 64;

    /** Longest list of roles. */
    public static final int MAX_ROLES = 512;

    /** Version 00 has 55 characters; later versions may be longer. */
    public static final int MAX_TRACEPARENT = 128;

    /** Nobody in particular. */
    public static final Origin NONE = new Origin(null, null, null, null, null, null);

    /** That of a row which another one has caused: the same, with the other one's id as causation id. */
    public Origin causedBy(UUID row) {
        return new Origin(tenantId, userId, userRoles, correlationId, row.toString(), traceparent);
    }
}
