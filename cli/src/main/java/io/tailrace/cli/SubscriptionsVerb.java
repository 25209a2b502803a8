package io.tailrace.cli;

import picocli.CommandLine.Command;

/** {@code subscriptions}: events that are handled, and those that are not for now. */
@Command(
        name = "subscriptions",
        description = "Subscriptions: stop their events by name, let them go on, list what is held.",
        mixinStandardHelpOptions = true,
        subcommands = {SubscriptionsHeldVerb.class, SubscriptionsPauseVerb.class, SubscriptionsResumeVerb.class})
final class SubscriptionsVerb extends Group {}
