package io.tailrace.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.TableNames;
import org.junit.jupiter.api.Test;

class PrerequisitesTest {

    @Test
    void allProblemsOfAServerAreNamedAtOnce() {
        assertThat(new Prerequisites.Server(14, "14.2", "LATIN1", "replica", true).problems(Scope.ALL))
                .hasSize(4)
                .anySatisfy(problem ->
                        assertThat(problem).contains("PostgreSQL 14.2 is not supported; Tailrace runs on 15 to 18"))
                .anySatisfy(problem -> assertThat(problem).contains("encoded in LATIN1"))
                .anySatisfy(problem -> assertThat(problem).contains("connect to the primary"))
                .anySatisfy(problem -> assertThat(problem).contains("ALTER SYSTEM SET wal_level = 'logical'"));
        assertThat(new Prerequisites.Server(19, "19beta1", "UTF8", "logical", false).problems(Scope.ALL))
                .hasSize(1);
        assertThat(new Prerequisites.Server(15, "15.1", "UTF8", "replica", false).problems(Scope.INBOX))
                .isEmpty();
    }

    @Test
    void aRoleIsToldWhatItLacks() {
        assertThat(new Prerequisites.Role("a\"b", "shop", false, false, true, false)
                        .problems(Scope.ALL, TableNames.DEFAULT))
                .containsExactly(
                        "role \"a\"\"b\" may not make a replication slot; run ALTER ROLE \"a\"\"b\" REPLICATION",
                        "role \"a\"\"b\" may not create schema and publication; run GRANT CREATE ON DATABASE \"shop\" TO \"a\"\"b\"",
                        "role \"a\"\"b\" may not create in schema \"tailrace\"; run GRANT CREATE, USAGE ON SCHEMA \"tailrace\" TO \"a\"\"b\"");
        assertThat(new Prerequisites.Role("app", "shop", false, false, true, true)
                        .problems(Scope.INBOX, TableNames.DEFAULT))
                .isEmpty();
    }
}
