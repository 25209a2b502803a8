package io.tailrace.engine.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;

/**
 * How far the rows of a source are in Kafka. Written in the same Kafka transaction as the rows, so it is never ahead of them nor
 * behind.
 *
 * <p>Everything up to {@code commitLsn} is in Kafka. Of the transaction {@code txId}, which commits after it, the rows up to and
 * including {@code lsn} and {@code index} are too. Only commit LSNs rise from one transaction to the next; {@code lsn} says nothing
 * outside its own transaction.
 *
 * @param systemId of the database cluster, as {@code IDENTIFY_SYSTEM} gives it
 * @param timeline on which the LSNs were seen
 * @param slot that they were read from
 * @param epoch of the raw topics, goes into {@code tailrace-seq}
 * @param commitLsn end of the last commit that was seen before the current transaction
 * @param txId the current transaction, 32 bits; {@value #NO_TRANSACTION} when none has begun since that commit
 * @param lsn of the last row or message of that transaction
 * @param index of that row among those of the transaction that share its LSN, from 0: the rows of one COPY or multi-row INSERT do
 * @param ties what it holds for, beside the database
 */
public record Position(
        String systemId,
        int timeline,
        String slot,
        int epoch,
        long commitLsn,
        long txId,
        long lsn,
        int index,
        Ties ties) {

    /** No transaction has this id. */
    public static final long NO_TRANSACTION = 0;

    /** Of the first rows of a source. */
    public static final int FIRST_EPOCH = 1;

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * What a position is tied to, by the ids that server and broker gave: what is dropped and made again under the same name has
     * another one, and another history. Empty where it was not noted.
     *
     * @param publication the log before it was made cannot be read through it
     * @param rawEvents the topic that holds the rows up to the position
     * @param rawCommands the same for commands
     */
    public record Ties(String publication, String rawEvents, String rawCommands) {

        /** Of positions that were written before ids were noted. */
        public static final Ties UNKNOWN = new Ties("", "", "");

        public Ties {
            Objects.requireNonNull(publication, "publication");
            Objects.requireNonNull(rawEvents, "rawEvents");
            Objects.requireNonNull(rawCommands, "rawCommands");
        }
    }

    public Position {
        Objects.requireNonNull(systemId, "systemId");
        Objects.requireNonNull(slot, "slot");
        Objects.requireNonNull(ties, "ties");
    }

    /** One that is tied to nothing yet. */
    public Position(
            String systemId, int timeline, String slot, int epoch, long commitLsn, long txId, long lsn, int index) {
        this(systemId, timeline, slot, epoch, commitLsn, txId, lsn, index, Ties.UNKNOWN);
    }

    /** Where a slot begins that nothing was read from yet. */
    public static Position seed(String systemId, int timeline, String slot, long commitLsn) {
        return new Position(systemId, timeline, slot, FIRST_EPOCH, commitLsn, NO_TRANSACTION, 0, 0);
    }

    /** The same with nothing seen since a later commit. */
    public Position atCommit(long laterCommitLsn) {
        return new Position(systemId, timeline, slot, epoch, laterCommitLsn, NO_TRANSACTION, 0, 0, ties);
    }

    /** The same with a later row or message seen. */
    public Position atRow(long commitBefore, long rowTxId, long rowLsn, int rowIndex) {
        return new Position(systemId, timeline, slot, epoch, commitBefore, rowTxId, rowLsn, rowIndex, ties);
    }

    /** The same on the timeline of a promoted standby. */
    public Position onTimeline(int newTimeline) {
        return new Position(systemId, newTimeline, slot, epoch, commitLsn, txId, lsn, index, ties);
    }

    /** The same, tied to what is there now. */
    public Position tiedTo(Ties known) {
        return new Position(systemId, timeline, slot, epoch, commitLsn, txId, lsn, index, known);
    }

    /** The same in a later epoch. */
    public Position inEpoch(int laterEpoch) {
        return new Position(systemId, timeline, slot, laterEpoch, commitLsn, txId, lsn, index, ties);
    }

    /** The value of the position record: JSON, LSNs as PostgreSQL prints them. */
    public String text() {
        ObjectNode json = JSON.createObjectNode();
        json.put("systemId", systemId);
        json.put("timeline", timeline);
        json.put("slot", slot);
        json.put("epoch", epoch);
        json.put("lsnCommit", Lsn.text(commitLsn));
        json.put("txId", txId);
        json.put("lsn", Lsn.text(lsn));
        json.put("index", index);
        if (!ties.equals(Ties.UNKNOWN)) {
            json.put("publicationId", ties.publication());
            json.put("rawEventsId", ties.rawEvents());
            json.put("rawCommandsId", ties.rawCommands());
        }
        return json.toString();
    }

    /**
     * Reads {@link #text()}; keys that a later version adds are passed over.
     *
     * @throws IllegalArgumentException when the text is no position
     */
    public static Position parse(String text) {
        try {
            JsonNode json = JSON.readTree(text);
            return new Position(
                    required(json, "systemId").asText(),
                    required(json, "timeline").asInt(),
                    required(json, "slot").asText(),
                    required(json, "epoch").asInt(),
                    Lsn.parse(required(json, "lsnCommit").asText()),
                    required(json, "txId").asLong(),
                    Lsn.parse(required(json, "lsn").asText()),
                    required(json, "index").asInt(),
                    new Ties(
                            json.path("publicationId").asText(""),
                            json.path("rawEventsId").asText(""),
                            json.path("rawCommandsId").asText("")));
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException("'" + text + "' is no position", notJson);
        }
    }

    private static JsonNode required(JsonNode json, String key) {
        JsonNode value = json.get(key);
        if (value == null || !value.isValueNode() || value.isNull()) {
            throw new IllegalArgumentException("'" + json + "' is no position: it has no " + key);
        }
        return value;
    }
}
