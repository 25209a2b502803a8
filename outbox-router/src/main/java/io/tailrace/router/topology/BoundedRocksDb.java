package io.tailrace.router.topology;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/** One block cache and one budget of write buffers for all stores of the JVM: memory does not grow with the number of partitions. */
public final class BoundedRocksDb implements RocksDBConfigSetter {

    private static final long BLOCK_CACHE_BYTES = 64L << 20;

    private static final long WRITE_BUFFER_BYTES = 32L << 20;

    private static final long ONE_WRITE_BUFFER_BYTES = 4L << 20;

    /** Live as long as the JVM: stores come and go with rebalances and share these. */
    private static final Cache CACHE = new LRUCache(BLOCK_CACHE_BYTES + WRITE_BUFFER_BYTES);

    private static final WriteBufferManager BUFFERS = new WriteBufferManager(WRITE_BUFFER_BYTES, CACHE);

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(CACHE);
        table.setCacheIndexAndFilterBlocks(true);
        options.setWriteBufferManager(BUFFERS);
        options.setWriteBufferSize(ONE_WRITE_BUFFER_BYTES);
        options.setTableFormatConfig(table);
    }

    @Override
    public void close(String storeName, Options options) {
        // Cache and buffers are shared; nothing belongs to one store.
    }
}
