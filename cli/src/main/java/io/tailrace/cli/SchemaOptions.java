package io.tailrace.cli;

import io.tailrace.schema.Scope;
import java.util.List;
import picocli.CommandLine.Option;

/** Which part of the schema, and for whom. */
final class SchemaOptions {

    enum Part {
        INBOX
    }

    @Option(
            names = "--only",
            paramLabel = "<part>",
            description = "inbox: only what a handler's own database needs; no publication, no slot.")
    private @org.jspecify.annotations.Nullable Part only;

    @Option(
            names = "--grant-to",
            paramLabel = "<role>",
            description = "Roles of applications, comma-separated: they get INSERT and EXECUTE and nothing else.")
    private String roles = "";

    Scope scope() {
        return only == Part.INBOX ? Scope.INBOX : Scope.ALL;
    }

    List<String> roles() {
        return DeadLetterSelection.items(roles);
    }
}
