package io.tailrace.cli;

/** A verb could not do its work; the message says why in words for people. */
final class VerbFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    VerbFailed(String message) {
        super(message);
    }
}
