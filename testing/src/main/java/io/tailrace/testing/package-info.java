/**
 * For the tests of an application: what its transactions have scheduled and published, and its handlers run over one connection of the
 * test, at the time of a clock that the test sets. Rows are claimed and stamped by the functions of the schema and by the rules of the
 * executor; what is left out is the way there: no Kafka, no router, no workers.
 */
@NullMarked
package io.tailrace.testing;

import org.jspecify.annotations.NullMarked;
