package io.tailrace.schema;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * One step of the schema: a file {@code V<version>__<description>.sql} that only adds.
 *
 * @param version counted from 1; two parts may have one version
 * @param description the rest of the file's name
 * @param part the part of the schema that it belongs to
 * @param tables what it creates, by the names used unless configured otherwise
 */
record Migration(int version, String description, Scope part, List<String> tables) {

    String label() {
        return "V%03d %s".formatted(version, description);
    }

    String text() {
        return Template.resource("V%03d__%s.sql".formatted(version, description));
    }

    /** Of the text before names are filled in, so that it is the same in every database. */
    String checksum() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
