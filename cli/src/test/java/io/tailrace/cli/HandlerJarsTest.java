package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.StartRefused;
import io.tailrace.executor.handler.CommandHandler;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandlerJarsTest {

    @TempDir
    Path jar;

    @Test
    void aHandlerWhoseClassIsMissingIsNamedWithWhereItIsDeclared() throws Exception {
        Path services = Files.createDirectories(jar.resolve("META-INF/services"));
        Files.writeString(services.resolve(CommandHandler.class.getName()), "shop.SendReminder\n");
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader())) {
            assertThatThrownBy(() -> HandlerJars.discovered(loader))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("Provider shop.SendReminder not found")
                    .hasMessageContaining("(declared in file:")
                    .hasMessageContaining(services.toString())
                    .hasMessageNotContaining("\n");
        }
    }
}
