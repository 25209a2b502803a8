/**
 * Secrets: the paths that the configuration names, and what is done to a row before it is copied where people look. {@link
 * io.tailrace.contract.redact.SecretPaths} cuts the named values out of a payload and of headers and leaves every other byte alone;
 * {@link io.tailrace.contract.redact.Veil} hides the same values in the text of errors; {@link
 * io.tailrace.contract.redact.Secrets} knows which paths a name has. Pure, and total: what cannot be cut is withheld whole.
 */
@NullMarked
package io.tailrace.contract.redact;

import org.jspecify.annotations.NullMarked;
