package io.tailrace.schema;

import io.tailrace.contract.name.TableNames;
import java.util.List;

/** Prints what {@link Migrator} does to an empty database, as SQL for psql. */
final class Script {

    private final StringBuilder out = new StringBuilder();
    private final Template template;

    private Script(Template template) {
        this.template = template;
    }

    static String of(TableNames tables, Scope scope, Ownership ownership, List<String> roles) {
        Template template = Template.of(tables).with(ownership).with("captured", scope == Scope.ALL ? "true" : "false");
        Script script = new Script(template);
        script.head(scope);
        script.tables(scope);
        if (scope == Scope.ALL) {
            script.transaction(template.fillResource("publication.sql"));
            script.plain(template.fillResource("slot.sql"));
            script.transaction(template.fillResource("source.sql"));
        }
        for (String role : roles) {
            script.grants(scope, role);
        }
        return script.out.toString();
    }

    private void head(Scope scope) {
        plain("""
                -- Tailrace: %s, for an empty place. Run it once:
                --     psql -v ON_ERROR_STOP=1 -d <database> -f <this file>
                -- A second run stops at the first table and changes nothing.
                """.formatted(scope == Scope.ALL ? "tables, functions, publication and slot" : "the inbox of a handler"));
    }

    private void tables(Scope scope) {
        transaction(template.fillResource("checks.sql")
                + "\n" + template.fill("CREATE SCHEMA IF NOT EXISTS ${schema};\n")
                + "\n" + template.fillResource("schema_version.sql"));
        for (Migration migration : Migrations.of(scope)) {
            transaction("-- " + migration.label() + "\n" + template.fill(migration.text()) + "\n"
                    + template.fill(
                            "INSERT INTO ${schema}.schema_version (version, description, checksum) VALUES (%d, %s, '%s');\n"
                                    .formatted(
                                            migration.version(),
                                            Template.literal(migration.description()),
                                            migration.checksum())));
        }
    }

    private void grants(Scope scope, String role) {
        Template granted = template.withRole(role);
        String sql = granted.fillResource("grants_inbox.sql");
        transaction(scope == Scope.ALL ? sql + granted.fillResource("grants_tables.sql") : sql);
    }

    private void transaction(String sql) {
        plain("BEGIN;\n\n" + sql + "\nCOMMIT;\n");
    }

    private void plain(String sql) {
        out.append(out.isEmpty() ? "" : "\n").append(sql);
    }
}
