package io.tailrace.executor.webhook;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * Which addresses are public. What is not: this machine, link, site and private networks, carriers' own (RFC 6598), multicast, and everything that is
 * reserved or for documentation (IANA's registries of special-purpose addresses). An address of IPv6 that carries one of IPv4 (mapped,
 * compatible, NAT64, 6to4) is as public as that. Pure.
 */
final class AddressGuard {

    private static final Block[] NOT_PUBLIC = {
        block(8, 0),
        block(8, 10),
        block(10, 100, 64),
        block(8, 127),
        block(16, 169, 254),
        block(12, 172, 16),
        block(24, 192, 0, 0),
        block(24, 192, 0, 2),
        block(16, 192, 168),
        block(15, 198, 18),
        block(24, 198, 51, 100),
        block(24, 203, 0, 113),
        // Multicast, and all behind it, broadcast included.
        block(3, 224),
    };

    /** All that is given out to anybody. */
    private static final Block GLOBAL = block(3, 0x20);

    /** Within that: protocols' own with Teredo among them, documentation twice. */
    private static final Block[] NOT_GLOBAL = {
        block(23, 0x20, 0x01), block(32, 0x20, 0x01, 0x0d, 0xb8), block(20, 0x3f, 0xff),
    };

    private static final Block SIX_TO_FOUR = block(16, 0x20, 0x02);

    private static final Block NAT64 = block(96, 0, 0x64, 0xff, 0x9b);

    private static final Block MAPPED = block(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

    private AddressGuard() {}

    /** Whether anybody may have this address. */
    static boolean isPublic(InetAddress address) {
        return isPublic(address.getAddress());
    }

    private static boolean isPublic(byte[] address) {
        if (address.length == 4) {
            return !isIn(NOT_PUBLIC, address);
        }
        if (SIX_TO_FOUR.has(address)) {
            return isPublic(Arrays.copyOfRange(address, 2, 6));
        }
        if (NAT64.has(address) || MAPPED.has(address)) {
            return isPublic(Arrays.copyOfRange(address, 12, 16));
        }
        return GLOBAL.has(address) && !isIn(NOT_GLOBAL, address);
    }

    private static boolean isIn(Block[] blocks, byte[] address) {
        return Arrays.stream(blocks).anyMatch(block -> block.has(address));
    }

    private static Block block(int bits, int... prefix) {
        return new Block(prefix, bits);
    }

    /** Addresses that begin with the same bits. */
    private record Block(int[] prefix, int bits) {

        boolean has(byte[] address) {
            for (int bit = 0; bit < bits; bit++) {
                int at = bit / 8;
                int wanted = at < prefix.length ? prefix[at] : 0;
                int mask = 0x80 >> bit % 8;
                if ((wanted & mask) != (address[at] & mask)) {
                    return false;
                }
            }
            return true;
        }
    }
}
