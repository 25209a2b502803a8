package io.tailrace.contract.header;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Every header that Tailrace reads or writes. Business headers follow the CloudEvents 1.0 Kafka binding in binary mode; delivery
 * headers carry the prefix {@value #DELIVERY_PREFIX} and stay inside Tailrace, but for those that {@link #keptAtDestination()}.
 */
public enum HeaderName {
    CE_SPECVERSION("ce_specversion"),
    /** The row id: the idempotency key, stable through retry and replay. */
    CE_ID("ce_id"),
    /** The event or command name. */
    CE_TYPE("ce_type"),
    /** {@code <ns>/<database>}. */
    CE_SOURCE("ce_source"),
    /** Commit time, RFC 3339 in UTC. */
    CE_TIME("ce_time"),
    /** The ordering key; only when the row has one. */
    CE_PARTITIONKEY("ce_partitionkey"),
    CE_TENANTID("ce_tenantid"),
    CE_USERID("ce_userid"),
    CE_USERROLES("ce_userroles"),
    CE_CORRELATIONID("ce_correlationid"),
    CE_CAUSATIONID("ce_causationid"),
    /** The stated version; absent when the row states none. */
    CE_EVENTVERSION("ce_eventversion"),
    CONTENT_TYPE("content-type"),
    TRACEPARENT("traceparent"),

    /** Raw: the epoch alone, as the engine writes it. Elsewhere {@code <epoch>:<offset>}. */
    SEQ("tailrace-seq"),
    /** {@code <epoch>:<offset>} within a subscription. */
    PLACE("tailrace-place"),
    /** The fence: rises at every stamp of the row. */
    TURN("tailrace-turn"),
    /** Transaction id of the row, 32 bits as in the WAL. */
    XID("tailrace-xid"),
    KIND("tailrace-kind"),
    /** Of a control record: the act, such as {@code cancel}. */
    CONTROL("tailrace-control"),
    /** Of a control record about an event: the subscription whose row of it is meant. */
    SUBSCRIPTION("tailrace-subscription"),
    /** Attempts used so far. */
    ATTEMPT("tailrace-attempt"),
    /** Milliseconds since the epoch: not before this instant. */
    NOT_BEFORE("tailrace-not-before"),
    /** Milliseconds to wait from the moment the record is read: what two machines with different clocks agree on. */
    WAIT("tailrace-wait"),
    /** Milliseconds since the epoch. */
    FIRST_FAILED_AT("tailrace-first-failed-at"),
    /** Milliseconds since the epoch. */
    FAILED_AT("tailrace-failed-at"),
    REASON("tailrace-reason"),
    ERROR_CLASS("tailrace-error-class"),
    ERROR_MESSAGE("tailrace-error-message"),
    /** In dead letters only. */
    ERROR_STACK("tailrace-error-stack"),
    /** Which step failed: capture, decode, decide, publish, handler. */
    STAGE("tailrace-stage"),
    /** Where the row was to go, and on the audit feed where it went. */
    DESTINATION("tailrace-destination"),
    ORIGIN_TOPIC("tailrace-origin-topic"),
    ORIGIN_PARTITION("tailrace-origin-partition"),
    ORIGIN_OFFSET("tailrace-origin-offset"),
    /** {@code inline}, {@code null} or {@code omitted}: what the value of this record is to the payload of the row. */
    PAYLOAD("tailrace-payload"),
    REPLAY_ID("tailrace-replay-id"),
    REPLAY_COUNT("tailrace-replay-count"),
    REPLAY_BY("tailrace-replay-by"),
    /** A replayed row was delivered behind newer rows of its key. */
    LATE("tailrace-late"),
    /** Of a row that stands behind another: the id of the row it met. */
    BEHIND("tailrace-behind"),
    /** {@code true} on the answer of a row whose key stops at its dead letter. */
    HALTS("tailrace-halts"),

    /** The trail of a dead letter again, under the names that Kafka Streams gives to its own; only if that is switched on. */
    STREAMS_EXCEPTION("__streams.errors.exception"),
    STREAMS_MESSAGE("__streams.errors.message"),
    STREAMS_STACKTRACE("__streams.errors.stacktrace"),
    STREAMS_TOPIC("__streams.errors.topic"),
    STREAMS_PARTITION("__streams.errors.partition"),
    STREAMS_OFFSET("__streams.errors.offset");

    /** Of delivery headers. */
    public static final String DELIVERY_PREFIX = "tailrace-";

    /** Of the trail under the names of Kafka Streams: delivery headers too. */
    public static final String STREAMS_PREFIX = "__streams.errors.";

    /** Of business headers. */
    public static final String CLOUD_EVENTS_PREFIX = "ce_";

    /** All delivery headers of a record together, names and values, in bytes. */
    public static final int MAX_DELIVERY_BYTES = 16 * 1024;

    private static final Map<String, HeaderName> BY_KEY = new HashMap<>();

    static {
        for (HeaderName name : values()) {
            BY_KEY.put(name.key, name);
        }
    }

    private final String key;

    HeaderName(String key) {
        this.key = key;
    }

    /** The header's key on the wire. */
    public String key() {
        return key;
    }

    /** Whether this header belongs to Tailrace's own travel and not to the business of the row. */
    public boolean isDelivery() {
        return isDeliveryKey(key);
    }

    /** Whether a consumer of a destination sees it. */
    public boolean keptAtDestination() {
        return !isDelivery() || this == SEQ || this == REPLAY_ID || this == LATE;
    }

    /** The header of that key, if Tailrace knows it. */
    public static Optional<HeaderName> of(String key) {
        return Optional.ofNullable(BY_KEY.get(key));
    }

    /** Whether a row may not use this key among its own headers; case does not matter. */
    public static boolean isReserved(String key) {
        String lower = key.toLowerCase(Locale.ROOT);
        return lower.startsWith(CLOUD_EVENTS_PREFIX)
                || isDeliveryKey(lower)
                || lower.startsWith("__")
                || lower.equals(CONTENT_TYPE.key)
                || lower.equals(TRACEPARENT.key);
    }

    static boolean isDeliveryKey(String key) {
        return key.startsWith(DELIVERY_PREFIX) || key.startsWith(STREAMS_PREFIX);
    }
}
