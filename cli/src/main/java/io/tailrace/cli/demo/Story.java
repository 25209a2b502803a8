package io.tailrace.cli.demo;

import java.time.Duration;

/**
 * What happens in the shop, in numbers.
 *
 * @param orders committed ones
 * @param customers their ordering keys
 * @param writers threads that write them, each the only one for its customers
 * @param seed of everything that is random
 */
record Story(int orders, int customers, int writers, long seed) {

    static final String ORDER_PLACED = "sales.order-placed";
    static final String CARD_CHARGED = "billing.card-charged";

    /** Nobody routes it until the cause is mended. */
    static final String POINTS_GRANTED = "loyalty.points-granted";

    static final String CHARGE_CARD = "billing.charge-card";
    static final String SEND_REMINDER = "mail.send-reminder";

    /** Rejected until the carrier is switched on. */
    static final String BOOK_CARRIER = "shipping.book-carrier";

    static final String CARRIER = "carrier";

    /** One order in so many is rolled back. */
    static final int ROLLED_BACK = 12;

    /** One order in so many has a part that is rolled back to a savepoint. */
    static final int SAVEPOINT = 10;

    /** One command in so many fails twice before it succeeds. */
    static final int FAILING = 50;

    /** One order in so many schedules a command for later. */
    static final int LATER = 25;

    static final int FAILURES = 2;

    static final Duration SOONEST_LATER = Duration.ofMillis(1_500);
    static final Duration LATEST_LATER = Duration.ofMillis(4_000);

    static final Story DEMO = new Story(1_200, 60, 4, 20_260_101L);

    Story {
        if (orders % writers != 0 || customers % writers != 0) {
            throw new IllegalArgumentException("orders and customers are shared out evenly between writers");
        }
    }
}
