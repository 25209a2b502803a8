package io.tailrace.router.topology;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Stores in memory of which one throws at a write: the n-th of all, as no store of Kafka Streams would, but as a bug of ours might. */
final class FaultyStores implements Function<String, KeyValueBytesStoreSupplier> {

    private int writesLeft = Integer.MAX_VALUE;
    private boolean hasThrown;

    /** From now on counted. */
    void throwAtWrite(int nth) {
        writesLeft = nth;
    }

    boolean hasThrown() {
        return hasThrown;
    }

    @Override
    public KeyValueBytesStoreSupplier apply(String name) {
        return new KeyValueBytesStoreSupplier() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public KeyValueStore<Bytes, byte[]> get() {
                return faulty(Stores.inMemoryKeyValueStore(name).get());
            }

            @Override
            public String metricsScope() {
                return "in-memory";
            }
        };
    }

    @SuppressWarnings("unchecked")
    private KeyValueStore<Bytes, byte[]> faulty(KeyValueStore<Bytes, byte[]> store) {
        return (KeyValueStore<Bytes, byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {KeyValueStore.class}, (proxy, method, arguments) -> {
                    boolean isWrite =
                            method.getName().equals("put") || method.getName().equals("delete");
                    if (isWrite && --writesLeft == 0) {
                        hasThrown = true;
                        throw new IllegalStateException("a bug at a write");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
