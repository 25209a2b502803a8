package io.tailrace.cli;

import io.tailrace.contract.Part;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.router.OutboxRouter;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * How running parts hear of a changed file.
 *
 * @param file to look at
 * @param reader of its text, with the sources that were chosen at the start
 */
record Reloading(Path file, Function<String, TailraceConfig> reader) {

    /** Begins; SIGHUP is heard from now on, whichever parts run: it must not end one that has nothing to read again. */
    ConfigReload begin(TailraceConfig running, List<Part> parts) {
        ConfigReload reload = new ConfigReload(
                file,
                reader,
                running,
                changed -> parts.stream()
                        .filter(OutboxRouter.class::isInstance)
                        .map(OutboxRouter.class::cast)
                        .forEach(router -> router.reload(changed)),
                ConfigReload.LOOK_EVERY);
        Hangup.listen(reload::ask);
        return reload;
    }
}
