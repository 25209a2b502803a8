package io.tailrace.executor.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.Stamp;
import io.tailrace.executor.intake.DueRecord;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AnswersTest {

    private static final UUID ID = UUID.fromString("01a229d0-b4b3-79a0-b24f-b5e05ae5a289");

    @Test
    void aTrailIsReadBackFromTheRowAsItWasWritten() {
        ErrorTrail thrown = ErrorTrail.of(new IllegalStateException("one: two\nthree"));
        assertThat(readBack(thrown)).isEqualTo(thrown);
        ErrorTrail returned = ErrorTrail.of("Failure", "card declined");
        assertThat(readBack(returned)).isEqualTo(returned);
    }

    @Property
    void anyTextStaysReadable(@ForAll String message) {
        ErrorTrail back = readBack(ErrorTrail.of("Failure", message));
        assertThat(back.message()).isEqualTo(ErrorTrail.of("Failure", message).message());
    }

    /** What an operator's control says of a row is its name; the second dead letter is as whole as the first one. */
    @Test
    void aRecordWithoutItsRowsPayloadIsCompletedFromTheRow() {
        Headers headers = dead(
                        requeued(null), row("{\"n\": 1}", "{\"channel\":\"web\",\"n\":1,\"ce_id\":\"x\",\"\":\"y\"}"))
                .headers();
        assertThat(headers.text(HeaderName.PAYLOAD)).contains("inline");
        assertThat(headers.text(HeaderName.CONTENT_TYPE)).contains("application/json");
        assertThat(headers.text(HeaderName.CE_TENANTID)).contains("acme");
        assertThat(headers.text("channel")).contains("web");
        assertThat(headers.text("n")).as("no text").isEmpty();
        assertThat(headers.text(HeaderName.CE_ID)).as("reserved").contains(ID.toString());
        assertThat(dead(requeued(null), row("{\"n\": 1}", null)).value()).isEqualTo(Bytes.utf8("{\"n\": 1}"));
    }

    @Test
    void aRowWithoutAPayloadIsSaidToHaveNone() {
        Answer answer = dead(requeued(null), row(null, "{\"channel\":\"web\"}"));
        assertThat(answer.value()).isNull();
        assertThat(answer.headers().text(HeaderName.PAYLOAD)).contains("null");
        assertThat(answer.headers().text(HeaderName.CONTENT_TYPE)).isEmpty();
        assertThat(answer.headers().text("channel")).contains("web");
        assertThat(answer.headers().text(HeaderName.CE_TENANTID)).contains("acme");
        assertThat(dead(requeued(null), row(null, "no json")).headers().text(HeaderName.PAYLOAD))
                .contains("null");
    }

    @Test
    void aRecordThatCameWholeStaysAsItIs() {
        DueRecord whole = requeued("[2]");
        Answer answer = dead(whole, row("{\"n\": 1}", "{\"channel\":\"web\"}"));
        assertThat(answer.value()).isEqualTo(whole.value());
        assertThat(answer.headers().text("channel")).isEmpty();
        // A row that is found settled was not read to its payload.
        assertThat(Answers.done(requeued(null), row(null, null)).headers().text(HeaderName.PAYLOAD))
                .contains("omitted");
    }

    /** One row may be asked for with what another one's record said: its secrets are found by its own name. */
    @Test
    void aRowIsAnsweredForInItsOwnNameAndWithNothingOfAnother() {
        DueRecord asked = due(
                null,
                Headers.builder()
                        .put(HeaderName.CE_ID, ID.toString())
                        .put(HeaderName.CE_TYPE, "send-mail")
                        .put(HeaderName.CE_TENANTID, "other")
                        .put(HeaderName.CE_USERID, "somebody")
                        .put(HeaderName.CONTENT_TYPE, "text/plain")
                        .put(HeaderName.PAYLOAD, "omitted")
                        .add("channel", Bytes.utf8("mail"))
                        .add("to", Bytes.utf8("x@example.org"))
                        .build(),
                0);
        CommandRow row = row("{\"n\": 1}", "{\"channel\":\"web\"}");
        Claim stamped = new Claim(asked.row(), Claim.Verdict.REPEAT, row, 0, null, "", 7);
        for (Answer answer : List.of(Answers.repeated(asked, stamped), dead(asked, row))) {
            Headers headers = answer.headers();
            assertThat(headers.text(HeaderName.CE_TYPE)).contains("ship");
            assertThat(headers.text(HeaderName.CE_TENANTID)).contains("acme");
            assertThat(headers.text(HeaderName.CE_USERID)).isEmpty();
            assertThat(headers.text(HeaderName.CONTENT_TYPE)).contains("application/json");
            assertThat(headers.entries().stream().filter(entry -> !HeaderName.isReserved(entry.key())))
                    .containsExactly(new Headers.Entry("channel", Bytes.utf8("web")));
            assertThat(answer.value()).isEqualTo(row.payload());
        }
        assertThat(Answers.done(asked, row).headers().text(HeaderName.CE_TYPE)).contains("ship");
    }

    private static Answer dead(DueRecord due, CommandRow row) {
        Stamp stamp = new Stamp(ID, 3, 1, new Place(1, 5), 0, null, 1L, 2L);
        return Answers.dead(due, row, stamp, Reason.REJECTED, ErrorTrail.of("Failure", "no"));
    }

    private static DueRecord requeued(@Nullable String payload) {
        Headers headers = Headers.builder()
                .put(HeaderName.CE_ID, ID.toString())
                .put(HeaderName.CE_TYPE, "ship")
                .put(HeaderName.PAYLOAD, payload == null ? "omitted" : "inline")
                .build();
        return due(payload, headers, 2);
    }

    private static DueRecord due(@Nullable String payload, Headers headers, int turn) {
        return new DueRecord(
                new TopicPartition("ns.commands.redelivery", 0),
                0,
                Bytes.utf8("o-1"),
                payload == null ? null : Bytes.utf8(payload),
                headers,
                true,
                new ClaimRequest(ID, "ns/shop", "o-1", new Place(1, 5), turn, OptionalLong.empty(), false));
    }

    private static CommandRow row(@Nullable String payload, @Nullable String headers) {
        return new CommandRow(
                "ship",
                "o-1",
                payload == null ? null : Bytes.utf8(payload),
                "application/json",
                headers,
                new Origin("acme", null, null, null, null, null),
                new CommandRow.Progress(
                        "PENDING", 2, 0, OptionalInt.empty(), new Place(1, 5), null, null, null, null, null),
                0);
    }

    private static ErrorTrail readBack(ErrorTrail trail) {
        return Answers.trailOf(row(Answers.lastError(trail)));
    }

    private static CommandRow row(@Nullable String error) {
        return new CommandRow(
                "ship",
                null,
                null,
                "application/json",
                null,
                Origin.NONE,
                new CommandRow.Progress("DEAD", 1, 1, OptionalInt.empty(), null, null, null, null, "rejected", error),
                0);
    }
}
