package io.tailrace.cli;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGHUP. Where nobody listens it ends a JVM. By reflection: the class is one that the compiler warns of whoever names it, and a JVM may
 * lack it.
 */
final class Hangup {

    private static final Logger LOG = LoggerFactory.getLogger(Hangup.class);

    private Hangup() {}

    /**
     * Runs this at each SIGHUP from now on, on a thread of its own.
     *
     * @param heard must be short
     */
    static void listen(Runnable heard) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object listener = Proxy.newProxyInstance(
                    Hangup.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        if (method.getDeclaringClass() == Object.class) {
                            return switch (method.getName()) {
                                case "equals" -> proxy == arguments[0];
                                case "hashCode" -> System.identityHashCode(proxy);
                                default -> "SIGHUP";
                            };
                        }
                        heard.run();
                        return null;
                    });
            Object hangup = signal.getConstructor(String.class).newInstance("HUP");
            signal.getMethod("handle", signal, handler).invoke(null, hangup, listener);
        } catch (ReflectiveOperationException unknown) {
            LOG.debug("No SIGHUP on this machine; the file is looked at all the same", unknown);
        }
    }
}
