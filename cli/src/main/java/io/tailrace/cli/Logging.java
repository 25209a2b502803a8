package io.tailrace.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** Where the log goes; unless told otherwise to standard error, as {@code logback.xml} says. */
final class Logging {

    private Logging() {}

    /** For verbs that are over in a second: the verb itself says in one line what Kafka's clients would say in fifty. */
    static void withoutKafkaClients() {
        if (System.getenv("TAILRACE_LIBRARIES_LOG_LEVEL") == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger("org.apache.kafka").setLevel(Level.OFF);
        }
    }

    /** From now on into a file: what happens in a demo would otherwise stand between the lines of its story. */
    static void to(Path file) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level [%thread] %logger{0} %msg%n");
        encoder.start();
        FileAppender<ILoggingEvent> appender = new FileAppender<>();
        appender.setContext(context);
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        appender.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.addAppender(appender);
    }
}
