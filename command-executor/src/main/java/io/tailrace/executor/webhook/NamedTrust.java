package io.tailrace.executor.webhook;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts whom Java trusts, if the certificate is for one name. Java checks that too, by the server name that is asked for; but when that fails it is
 * content with a certificate for the address of the connection, which anybody can have who has the address. Immutable.
 */
final class NamedTrust extends X509ExtendedTrustManager {

    private static final int DNS_NAME = 2;

    private final X509ExtendedTrustManager trusted;
    private final String host;

    private NamedTrust(X509ExtendedTrustManager trusted, String host) {
        this.trusted = trusted;
        this.host = host;
    }

    /**
     * TLS with this one host. A context of its own: sessions are resumed by address and port, and then no certificate is looked at, so that those
     * of another name at the same address must not be found.
     *
     * @param roots whose signatures count; null for those of Java
     */
    static SSLContext context(String host, @Nullable KeyStore roots) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(roots);
            X509ExtendedTrustManager first = Stream.of(factory.getTrustManagers())
                    .filter(X509ExtendedTrustManager.class::isInstance)
                    .map(X509ExtendedTrustManager.class::cast)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("this JVM has no trust manager for TLS"));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new NamedTrust(first, host)}, null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new IllegalArgumentException("this JVM cannot speak TLS: " + unusable.getMessage(), unusable);
        }
    }

    /** Whether a name of a certificate is that of the host; {@code *} stands for its first label alone (RFC 9525). */
    static boolean isFor(String name, String host) {
        String wanted = host.toLowerCase(Locale.ROOT);
        String found = name.toLowerCase(Locale.ROOT);
        if (!found.startsWith("*.")) {
            return found.equals(wanted);
        }
        int dot = wanted.indexOf('.');
        // Not of a whole top-level domain.
        return dot > 0 && found.indexOf('.', 2) > 0 && found.substring(1).equals(wanted.substring(dot));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        trusted.checkServerTrusted(chain, authType, engine);
        requireName(chain[0]);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        trusted.checkServerTrusted(chain, authType, socket);
        requireName(chain[0]);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        trusted.checkServerTrusted(chain, authType);
        requireName(chain[0]);
    }

    private void requireName(X509Certificate certificate) throws CertificateException {
        if (Receiver.isAddress(host)) {
            // Then the address is the name, and Java has checked it.
            return;
        }
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        boolean isFor = names != null
                && names.stream()
                        .anyMatch(name -> name.get(0).equals(DNS_NAME)
                                && name.get(1) instanceof String text
                                && isFor(text, host));
        if (!isFor) {
            throw new CertificateException("the certificate is not for " + host);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        throw noClients();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw noClients();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw noClients();
    }

    private static CertificateException noClients() {
        return new CertificateException("nobody is served here");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trusted.getAcceptedIssuers();
    }
}
