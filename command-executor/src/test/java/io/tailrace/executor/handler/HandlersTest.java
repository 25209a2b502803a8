package io.tailrace.executor.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class HandlersTest {

    private record Named(Set<String> names) implements CommandHandler {
        @Override
        public Result handle(CommandContext command) {
            return Result.success();
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
    void whatCannotWorkIsRefusedWithItsCulprit() {
        assertThatThrownBy(() -> Handlers.of(new Named(Set.of("ship")), new Named(Set.of("bill", "ship"))))
                .hasMessageContaining("'ship'")
                .hasMessageContaining(Named.class.getName());
        assertThatThrownBy(() -> Handlers.of(new Named(Set.of()))).hasMessageContaining("no command name");
        assertThatThrownBy(() -> Handlers.of(new Named(Set.of("no name")))).hasMessageContaining("'no name'");
    }
}
