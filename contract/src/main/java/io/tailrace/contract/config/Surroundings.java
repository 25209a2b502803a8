package io.tailrace.contract.config;

import java.io.IOException;
import java.util.Optional;

/** What placeholders in a configuration may refer to. */
public interface Surroundings {

    /** The value of {@code ${NAME}}. */
    Optional<String> variable(String name);

    /**
     * The content of {@code ${file:/path}}.
     *
     * @throws IOException when it cannot be read
     */
    String file(String path) throws IOException;
}
