package io.tailrace.client;

import io.tailrace.contract.record.Origin;

/** Says on whose behalf the calling thread acts; asked once for each row. */
@FunctionalInterface
public interface OriginProvider {

    /** {@link Origin#NONE} when it acts for nobody in particular. */
    Origin current();
}
