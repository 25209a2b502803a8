package io.tailrace.executor.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HandlersTest {

    private record Named(Set<String> names) implements CommandHandler {
        @Override
        public Result handle(CommandContext command) {
            return Result.success();
        }
    }

    private record Ranged(Set<String> names, Optional<Versions> versions) implements CommandHandler {

        static Ranged of(String name, Versions versions) {
            return new Ranged(Set.of(name), Optional.of(versions));
        }

        @Override
        public Result handle(CommandContext command) {
            return Result.success();
        }
    }

    private record Around(int order, String name) implements CommandInterceptor {
        @Override
        public Result around(CommandContext command, Next next) throws Exception {
            return next.proceed();
        }
    }

    @Test
    void aHandlerAnswersToItsNamesAndToNoOther() {
        Named one = new Named(Set.of("ship", "ship.v2"));
        Handlers handlers = Handlers.of(one, new Named(Set.of("bill")));
        assertThat(handlers.find("ship.v2")).containsSame(one);
        assertThat(handlers.find("ship.v3")).isEmpty();
        assertThat(handlers.names()).containsExactlyInAnyOrder("ship", "ship.v2", "bill");
    }

    @Test
    void aHandlerWithVersionsAnswersToThemUnderEachOfItsNames() {
        Ranged old = new Ranged(Set.of("ship", "send.out"), Optional.of(Versions.upTo(2)));
        Ranged young = Ranged.of("ship", Versions.between(3, 4));
        Named other = new Named(Set.of("ship.v9"));
        Handlers handlers = Handlers.of(old, young, other);
        for (String name : new String[] {"ship", "ship.v1", "ship.v2", "send.out", "send.out.v2"}) {
            assertThat(handlers.find(name)).as(name).containsSame(old);
        }
        assertThat(handlers.find("ship.v3")).containsSame(young);
        assertThat(handlers.find("ship.v9")).containsSame(other);
        assertThat(handlers.find("ship.v5")).isEmpty();
        assertThat(handlers.find("send.out.v3")).isEmpty();
        assertThat(handlers.find("no name")).isEmpty();
        assertThat(handlers.names()).containsExactlyInAnyOrder("ship", "send.out", "ship.v9");
    }

    @Test
    void whatCannotWorkIsRefusedWithItsCulprit() {
        assertThatThrownBy(() -> Handlers.of(new Named(Set.of("ship")), new Named(Set.of("bill", "ship"))))
                .hasMessageContaining("'ship'")
                .hasMessageContaining(Named.class.getName());
        assertThatThrownBy(() -> Handlers.of(new Named(Set.of()))).hasMessageContaining("no command name");
        assertThatThrownBy(() -> Handlers.of(new Named(Set.of("no name")))).hasMessageContaining("'no name'");
        Ranged upToThree = Ranged.of("ship", Versions.upTo(3));
        assertThatThrownBy(() -> Handlers.of(upToThree, Ranged.of("ship", Versions.between(3, 4))))
                .hasMessageContaining("'ship'");
        assertThatThrownBy(() -> Handlers.of(upToThree, new Named(Set.of("ship"))))
                .hasMessageContaining("'ship'");
        assertThatThrownBy(() -> Handlers.of(new Named(Set.of("ship.v3")), upToThree))
                .hasMessageContaining("'ship.v3'");
        assertThatThrownBy(() -> Handlers.of(Ranged.of("ship.v2", Versions.upTo(2))))
                .hasMessageContaining("take the version from the name");
        Upcaster one = Upcaster.of("ship", 1, payload -> payload);
        assertThatThrownBy(() -> Handlers.builder().add(one).add(Upcaster.of("ship", 1, payload -> payload)))
                .hasMessageContaining("version 1 of 'ship'");
    }

    private record OfEvents(String pattern, Optional<Versions> versions) implements EventHandler {
        @Override
        public String subscription() {
            return "billing";
        }

        @Override
        public Set<String> events() {
            return Set.of(pattern);
        }

        @Override
        public Result handle(EventContext event) {
            return Result.success();
        }
    }

    @Test
    void aHandlerOfEventsWithVersionsLeavesTheOthersToTheNextPattern() {
        OfEvents old = new OfEvents("sales.order", Optional.of(Versions.upTo(2)));
        OfEvents young = new OfEvents("sales.order", Optional.of(Versions.between(3, 4)));
        OfEvents second = new OfEvents("stock.moved.v2", Optional.empty());
        EventHandlers events =
                Handlers.builder().add(old).add(young).add(second).build().events();
        assertThat(events.find("billing", "sales.order", 2)).containsSame(old);
        assertThat(events.find("billing", "sales.order.v4", 4)).containsSame(young);
        assertThat(events.find("billing", "sales.order", 5)).isEmpty();
        assertThat(events.find("shipping", "sales.order", 2)).isEmpty();
        for (String name : new String[] {"sales.order", "sales.order.v4", "stock.moved", "stock.moved.v2"}) {
            assertThat(events.handles("billing", name)).as(name).isTrue();
        }
        for (String name : new String[] {"sales.order.v5", "stock.moved.v3", "sales.refund", "no name"}) {
            assertThat(events.handles("billing", name)).as(name).isFalse();
        }
        OfEvents all = new OfEvents("*", Optional.empty());
        Handlers.Builder more = Handlers.builder().add(old).add(all);
        assertThat(more.build().events().find("billing", "sales.order", 5)).containsSame(all);
        assertThatThrownBy(() -> more.add(new OfEvents("sales.order", Optional.of(Versions.between(2, 3)))))
                .hasMessageContaining("handle 'sales.order' for subscription billing");
        assertThatThrownBy(() -> more.add(new OfEvents("sales.order.v2", Optional.of(Versions.upTo(2)))))
                .hasMessageContaining("take the version from the pattern");
        assertThatThrownBy(() -> more.add(Upcaster.ofEvent("order", 1, payload -> payload)))
                .hasMessageContaining("'order'");
    }

    @Test
    void interceptorsStandByTheirOrderAndThenAsTheyWereAdded() {
        Around first = new Around(0, "first");
        Around second = new Around(0, "second");
        Around outer = new Around(-1, "outer");
        assertThat(Handlers.builder().add(first).add(second).add(outer).build().interceptors())
                .containsExactly(outer, first, second);
    }
}
