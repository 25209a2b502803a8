package io.tailrace.proof.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Place;
import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Job;
import io.tailrace.proof.child.Job.End;
import io.tailrace.proof.commands.Stored.Command;
import io.tailrace.proof.commands.Stored.Effect;
import io.tailrace.proof.commands.Stored.Note;
import io.tailrace.proof.commands.Stored.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each kind of wrong is seen, and what is right is not taken for it. */
class JudgeTest {

    private static final Job REJECTED = new Job(0, 0, 0, End.REJECTED);
    private static final long RUN_AT = 1_000_000;

    private final List<Command> commands = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private final Map<Note, Integer> notes = new HashMap<>();
    private final Map<String, Place> places = new HashMap<>();
    private final Map<String, Integer> deaths = new HashMap<>();
    private final Set<String> letters = new HashSet<>();
    private final List<String> replayed = new ArrayList<>();

    @Test
    void whatIsRightIsClean() {
        done(command("key", Status.COMPLETED, Job.WELL));
        done(command(null, Status.COMPLETED, new Job(0, 0, 2, End.WELL), 2));
        command("key", Status.CANCELLED, Job.WELL);
        ahead("key");
        dead(command("key", Status.DEAD, REJECTED, 1));
        String replayedOne = command("key", Status.COMPLETED, REJECTED);
        deaths.put(replayedOne, 1);
        replayed.add(replayedOne);
        done(replayedOne);
        assertThat(judge().effects().isClean()).isTrue();
        assertThat(judge().effects().committed()).isEqualTo(6);
        assertThat(judge().effects().delivered()).isEqualTo(3);
        assertThat(judge().early()).isEmpty();
        assertThat(judge().burned(Map.of())).isEmpty();
    }

    @Test
    void aCommandWithoutAnEffectIsMissing() {
        command("key", Status.COMPLETED, Job.WELL);
        command("key", Status.PENDING, Job.WELL);
        assertThat(judge().effects().missing()).isEqualTo(2);
    }

    @Test
    void aDeadOneWithoutADeadLetterIsMissing() {
        command("key", Status.DEAD, REJECTED, 1);
        assertThat(judge().effects().missing()).isEqualTo(1);
    }

    @Test
    void aDeadOneWhoseLetterIsGoneIsMissing() {
        deaths.put(command("key", Status.DEAD, REJECTED, 1), 1);
        assertThat(judge().effects().missing()).isEqualTo(1);
    }

    @Test
    void oneThatWaitsWithItsEffectIsMissing() {
        done(command("key", Status.PENDING, Job.WELL));
        assertThat(judge().effects().missing()).isEqualTo(1);
    }

    @Test
    void aSecondEffectIsDoubled() {
        String id = command("key", Status.COMPLETED, Job.WELL);
        done(id);
        done(id);
        assertThat(judge().effects().duplicated()).isEqualTo(1);
        assertThat(judge().effects().orderViolations()).isZero();
    }

    @Test
    void anEffectOfACommandThatWasNeverCommittedIsDoubled() {
        effects.add(new Effect("nobody's", RUN_AT));
        assertThat(judge().effects().duplicated()).isEqualTo(1);
    }

    @Test
    void anEffectOfACancelledOneIsDoubled() {
        done(command("key", Status.CANCELLED, Job.WELL));
        assertThat(judge().effects().duplicated()).isEqualTo(1);
    }

    @Test
    void anEffectOfADeadOneIsDoubled() {
        String id = command("key", Status.DEAD, REJECTED, 1);
        dead(id);
        done(id);
        assertThat(judge().effects().duplicated()).isEqualTo(1);
    }

    @Test
    void aDeadLetterOfOneThatIsDoneIsDoubled() {
        String id = command("key", Status.COMPLETED, REJECTED);
        deaths.put(id, 1);
        replayed.add(id);
        done(id);
        letters.add(id);
        assertThat(judge().effects().duplicated()).isEqualTo(1);
    }

    @Test
    void effectsOfAKeyAreInTheOrderOfTheirPlaces() {
        String first = command("key", Status.COMPLETED, Job.WELL);
        String second = command("key", Status.COMPLETED, Job.WELL);
        done(second);
        done(first);
        assertThat(judge().effects().orderViolations()).isEqualTo(1);
        assertThat(judge().effects().missing()).isZero();
    }

    @Test
    void effectsWithoutAKeyAreInNoOrder() {
        String first = command(null, Status.COMPLETED, Job.WELL);
        done(command(null, Status.COMPLETED, Job.WELL));
        done(first);
        assertThat(judge().effects().isClean()).isTrue();
    }

    @Test
    void placesOfAKeyThatIsDueAtOnceAreInTheOrderOfItsCommits() {
        String first = command("now/1", Status.COMPLETED, Job.WELL);
        String second = command("now/1", Status.COMPLETED, Job.WELL);
        places.put(first, new Place(0, 12));
        places.put(second, new Place(0, 11));
        done(second);
        done(first);
        assertThat(judge().effects().orderViolations()).isEqualTo(1);
    }

    @Test
    void onlyAReplayedOneMayComeLate() {
        String first = command("key", Status.COMPLETED, REJECTED);
        done(command("key", Status.COMPLETED, Job.WELL));
        done(first);
        assertThat(judge().effects().orderViolations()).isEqualTo(1);
        deaths.put(first, 1);
        replayed.add(first);
        assertThat(judge().effects().isClean()).isTrue();
    }

    @Test
    void anEffectBeforeItsTimeIsEarly() {
        effects.add(new Effect(command("key", Status.COMPLETED, Job.WELL), RUN_AT - 1));
        assertThat(judge().early()).hasSize(1);
    }

    @Test
    void anAttemptThatNoHandlerHasReturnedIsBurned() {
        String id = command("key", Status.COMPLETED, new Job(0, 0, 1, End.WELL), 2);
        String fewer = command("key", Status.COMPLETED, new Job(0, 0, 1, End.WELL), 0);
        command("key", Status.DEAD, new Job(0, 0, 0, End.EXHAUSTED), ExecutorSite.MAX_ATTEMPTS);
        assertThat(judge().burned(Map.of())).isEqualTo(Map.of(id, 1, fewer, 1));
        assertThat(judge().burned(Map.of(id, 1))).containsOnlyKeys(fewer);
    }

    @Test
    void oneWithoutAFaultThatHasDiedHasBurnedItsAttempts() {
        String id = command("key", Status.COMPLETED, Job.WELL);
        deaths.put(id, 1);
        assertThat(judge().burned(Map.of())).containsOnlyKeys(id);
        assertThat(judge().burned(Map.of(id, 1))).isEmpty();
    }

    @Test
    void latenessIsFromWhenItWasDueUntilItsEffect() {
        for (int i = 1; i <= 200; i++) {
            effects.add(new Effect(command(null, Status.COMPLETED, Job.WELL), RUN_AT + i * 1_000L));
        }
        effects.add(new Effect(command(null, Status.COMPLETED, REJECTED), RUN_AT + 900_000));
        assertThat(judge().latenessP99Ms(judge().withoutFault())).isEqualTo(198);
    }

    @Test
    void whatNothingWasHeldToIsNamed() {
        Evidence.Seen nothing = new Evidence.Seen(0, 0, 0, 0, List.of("A replay ended."));
        assertThat(judge().evidence(nothing).gaps()).hasSize(9).contains("A replay ended.");
        done(command("key", Status.COMPLETED, new Job(0, 0, 1, End.WELL), 1));
        command("key", Status.CANCELLED, Job.WELL);
        for (String what : List.of("snooze", "unavailable")) {
            String id = command("key", Status.COMPLETED, Job.WELL);
            notes.put(new Note(id, what), 2);
            done(id);
        }
        assertThat(judge().evidence(new Evidence.Seen(1, 1, 1, 1, List.of())).gaps())
                .isEmpty();
    }

    private Judge judge() {
        return new Judge(new Stored(commands, effects, notes), new Written(places, deaths, letters), replayed);
    }

    private String command(@Nullable String key, Status status, Job job) {
        return command(key, status, job, 0);
    }

    private String command(@Nullable String key, Status status, Job job, int attempts) {
        return command(key, status, job, attempts, false);
    }

    private void ahead(String key) {
        command(key, Status.PENDING, Job.WELL, 0, true);
    }

    private String command(@Nullable String key, Status status, Job job, int attempts, boolean ahead) {
        int number = commands.size();
        String id = "row-" + number;
        commands.add(new Command(id, key, number, Load.isInCommitOrder(key), status, RUN_AT, ahead, attempts, job));
        if (!ahead) {
            places.put(id, new Place(0, number));
        }
        return id;
    }

    private void done(String id) {
        effects.add(new Effect(id, RUN_AT));
    }

    private void dead(String id) {
        deaths.merge(id, 1, Integer::sum);
        letters.add(id);
    }
}
