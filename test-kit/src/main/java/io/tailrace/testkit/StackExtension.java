package io.tailrace.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Hands a fresh {@link Stack} to each test, the same one to its set-up and tear-down methods, and clears it away after them. */
final class StackExtension implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(StackExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Stack.class;
    }

    @Override
    public Stack resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(Stack.class, type -> new Held(new Stack()), Held.class)
                .stack();
    }

    /** The store closes it when its test, tear-down included, is over. */
    private record Held(Stack stack) implements AutoCloseable {
        @Override
        public void close() throws Exception {
            stack.cleanUp();
        }
    }
}
