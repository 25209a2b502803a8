package io.tailrace.executor.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "10.255.255.255",
                "100.64.0.1",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.0.1",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.1",
                "192.0.2.1",
                "192.168.1.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.7",
                "203.0.113.7",
                "224.0.0.1",
                "239.1.1.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::7f00:1",
                "::ffff:10.0.0.1",
                "::ffff:127.0.0.1",
                "fe80::1",
                "febf::1",
                "fec0::1",
                "fc00::1",
                "fd12:3456::1",
                "ff02::1",
                "ff0e::1",
                "64:ff9b::7f00:1",
                "64:ff9b::a00:1",
                "64:ff9b:1::1",
                "100::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::1",
                "2002:c0a8:101::1",
                "3fff::1",
                "4000::1",
            })
    void isNotPublic(String address) throws Exception {
        assertThat(AddressGuard.isPublic(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.1.1.1", "128.0.0.1",
                        "169.253.1.1",
                "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.1.1", "192.169.1.1", "198.17.1.1", "198.20.1.1",
                        "223.255.255.1",
                "::ffff:1.1.1.1", "2606:4700::1111", "2a00:1450::1", "2001:4860::8888", "64:ff9b::101:101",
                        "2002:101:101::1",
            })
    void isPublic(String address) throws Exception {
        assertThat(AddressGuard.isPublic(InetAddress.getByName(address))).isTrue();
    }
}
