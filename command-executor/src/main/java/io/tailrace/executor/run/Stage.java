package io.tailrace.executor.run;

import io.tailrace.executor.handler.CommandInterceptor.Next;
import io.tailrace.executor.handler.Result;

/** Something that stands around a handler. Which ones there are, and in which order, {@link Stages} says. Serves all workers at once. */
interface Stage {

    /** Goes on with what stands within, or says itself what became of the command. */
    Result around(Run run, Next next) throws Exception;
}
