package io.tailrace.client;

import io.tailrace.contract.record.Origin;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Asks the provider and holds its answer to the limits. Thread-safe. */
final class Origins {

    private static final System.Logger LOG = System.getLogger(Origins.class.getName());

    private final OriginProvider provider;
    private final AtomicBoolean toldOfCut = new AtomicBoolean();

    Origins(OriginProvider provider) {
        this.provider = provider;
    }

    /** @throws IllegalArgumentException naming field and limit, if a value other than the roles is too long */
    Origin current() {
        Origin origin = provider.current();
        return new Origin(
                Text.optional("tenant_id", origin.tenantId(), Origin.MAX_ID),
                Text.optional("user_id", origin.userId(), Origin.MAX_ID),
                roles(origin.userRoles()),
                Text.optional("correlation_id", origin.correlationId(), Origin.MAX_ID),
                Text.optional("causation_id", origin.causationId(), Origin.MAX_ID),
                Text.optional("traceparent", origin.traceparent(), Origin.MAX_TRACEPARENT));
    }

    /** Losing a role takes rights away and gives none, so a long list is cut rather than refused; a cut role would be another one. */
    private @Nullable String roles(@Nullable String roles) {
        if (roles == null || Text.length(roles) <= Origin.MAX_ROLES) {
            return Text.optional("user_roles", roles, Origin.MAX_ROLES);
        }
        int limit = roles.offsetByCodePoints(0, Origin.MAX_ROLES);
        int comma = roles.lastIndexOf(',', limit);
        if (comma <= 0) {
            return Text.optional("user_roles", roles, Origin.MAX_ROLES);
        }
        if (toldOfCut.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "user_roles has {0} characters, at most {1} are carried: it is cut at a comma, and handlers see the first roles"
                            + " only. Said once; further rows are cut in silence.",
                    Integer.toString(Text.length(roles)),
                    Integer.toString(Origin.MAX_ROLES));
        }
        return Text.optional("user_roles", roles.substring(0, comma), Origin.MAX_ROLES);
    }
}
