package io.tailrace.engine.publish;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.engine.capture.CaptureSettings;
import io.tailrace.engine.capture.SizeLimit;

/** How rows are mapped to raw records: in one place, so that a row gives the same record whichever way it is read. */
public final class RawSettings {

    private RawSettings() {}

    /** In an epoch of the raw topics. */
    public static CaptureSettings of(TailraceConfig config, int epoch) {
        Topics topics = config.topicNames();
        return new CaptureSettings(
                config.ceSource(),
                topics.rawEvents(),
                topics.rawCommands(),
                config.source().tables(),
                config.outbox().mode(),
                config.slot(),
                epoch,
                new SizeLimit(RawProducer.largestRecord(
                        config.kafka(), config.topics().maxMessageBytes())));
    }
}
