package io.tailrace.router.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.Budget;
import io.tailrace.router.lane.LaneKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class AgendaTest {

    private static final RawRecord RECORD = new RawRecord("t", 0, 0, Bytes.utf8("k"), null, Headers.empty());

    /** Adds, while firing too, removals, ticks and restarts at random: everything fires once, in order, never early, never late. */
    @Property(tries = 300)
    void everythingFiresOnceInOrderAndNeverEarly(@ForAll long seed) {
        Random random = new Random(seed);
        InMemory store = new InMemory();
        Agenda agenda = new Agenda(store);
        Map<String, Long> expected = new HashMap<>();
        int[] counter = {1_000};
        long now = 0;
        for (int step = 0; step < 400; step++) {
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> {
                    long at = now + random.nextInt(200) - 20;
                    String id = "c" + step;
                    agenda.add(command(Math.max(0, at), step, id));
                    expected.put(id, Math.max(0, at));
                }
                case 3 -> {
                    String gone = expected.keySet().stream().findFirst().orElse("");
                    Long at = expected.remove(gone);
                    if (at != null) {
                        agenda.remove(command(at, Integer.parseInt(gone.substring(1)), gone));
                    }
                }
                case 4 -> {
                    now += random.nextInt(100);
                    long instant = now;
                    Agenda firing = agenda;
                    List<Long> fired = new ArrayList<>();
                    int rows = random.nextInt(5) == 0 ? 2 : 1_000;
                    agenda.fire(now, new Budget(rows, 1_000, () -> 0), due -> {
                        String id = due.match(wake -> "", Due.Command::rowId);
                        assertThat(due.at()).isLessThanOrEqualTo(instant);
                        assertThat(expected.remove(id)).isEqualTo(due.at());
                        fired.add(due.at());
                        if (random.nextInt(4) == 0) {
                            int more = counter[0]++;
                            long at = due.at() + random.nextInt(100);
                            firing.add(command(at, more, "c" + more));
                            expected.put("c" + more, at);
                        }
                    });
                    assertThat(fired).isSorted().hasSizeLessThanOrEqualTo(rows);
                    if (rows > 2) {
                        assertThat(expected.values()).allMatch(at -> at > instant);
                    }
                }
                default -> agenda = new Agenda(store);
            }
        }
    }

    @Test
    void noScanBeginsBeforeWhatWasFiredAlready() {
        InMemory store = new InMemory();
        Agenda agenda = new Agenda(store);
        for (int i = 0; i < 1_000; i++) {
            agenda.add(command(5, i, "c" + i));
        }
        List<String> order = new ArrayList<>();
        Bytes lastFired = Bytes.of(new byte[0]);
        while (agenda.isDue(5)) {
            List<Due> fired = new ArrayList<>();
            agenda.fire(5, new Budget(100, 1_000, () -> 0), fired::add);
            // A store that still held the deleted ones as tombstones would walk over none of them.
            byte[] bound = lastFired.array();
            assertThat(store.scans).allMatch(from -> Arrays.compareUnsigned(from.array(), bound) >= 0);
            store.scans.clear();
            fired.forEach(due -> order.add(due.match(wake -> "", Due.Command::rowId)));
            lastFired = fired.isEmpty() ? lastFired : DueCodec.position(fired.get(fired.size() - 1));
        }
        assertThat(order).hasSize(1_000).startsWith("c0", "c1", "c2").endsWith("c999");
    }

    @Test
    void whatIsAddedWhileFiringIsNotPassedOver() {
        InMemory store = new InMemory();
        Agenda agenda = new Agenda(store);
        LaneKey lane = LaneKey.of("x", "s", "k", "-");
        agenda.add(command(10, 1, "first"));
        agenda.add(command(20, 2, "last"));
        List<Long> fired = new ArrayList<>();
        agenda.fire(20, new Budget(100, 1_000, () -> 0), due -> {
            fired.add(due.at());
            if (due.at() == 10) {
                agenda.add(lane, 3);
            }
        });
        assertThat(fired).containsExactlyInAnyOrder(10L, 20L, 3L);
        assertThat(agenda.isDue(Long.MAX_VALUE - 1)).isFalse();
    }

    @Test
    void whatIsAddedBetweenTwoThatWereReadFiresBetweenThem() {
        Agenda agenda = new Agenda(new InMemory());
        agenda.add(command(10, 1, "first"));
        agenda.add(command(20, 2, "last"));
        List<Long> fired = new ArrayList<>();
        agenda.fire(20, new Budget(100, 1_000, () -> 0), due -> {
            fired.add(due.at());
            if (due.at() == 10) {
                agenda.add(command(15, 3, "between"));
            }
        });
        assertThat(fired).containsExactly(10L, 15L, 20L);
    }

    private static Due.Command command(long at, int offset, String id) {
        return new Due.Command(at, new Place(1, offset), 0, id, RECORD);
    }

    private static final class InMemory implements DueStore {

        private final TreeMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
        private final List<Bytes> scans = new ArrayList<>();

        @Override
        public void put(Bytes position, Bytes value) {
            entries.put(position.array(), value.array());
        }

        @Override
        public void delete(Bytes position) {
            entries.remove(position.array());
        }

        @Override
        public List<Entry> from(Bytes position, int limit) {
            scans.add(position);
            return entries.tailMap(position.array(), true).entrySet().stream()
                    .limit(limit)
                    .map(each -> new Entry(Bytes.of(each.getKey()), Bytes.of(each.getValue())))
                    .toList();
        }
    }
}
