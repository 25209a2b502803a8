package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import org.junit.jupiter.api.Test;

class TransactionVerbsTest {

    /** Text and verb, with a bar between. */
    private static final List<String> FOUND = List.of(
            "commit|COMMIT",
            "END|END",
            "abort work|ABORT",
            "begin|BEGIN",
            "set role admin|SET",
            "SELECT 1; SET app.user = 'u1'|SET",
            "set session authorization x|SET",
            "discard all|DISCARD",
            "start  transaction read only|START TRANSACTION",
            "prepare transaction 'x'|PREPARE TRANSACTION",
            "rollback|ROLLBACK",
            "rollback and chain|ROLLBACK",
            "rollback work;|ROLLBACK",
            "-- so\n/* and /* so */ */ ; commit|COMMIT",
            "SELECT 1; COMMIT|COMMIT",
            "SELECT 1;;/**/ commit|COMMIT",
            "SELECT ';'; commit|COMMIT",
            "SELECT 'it''s;'; commit|COMMIT",
            "SELECT '\\'; commit --'|COMMIT",
            "SELECT E'\\\\'; commit --'|COMMIT",
            "SELECT some_e'\\'; commit --'|COMMIT",
            "SELECT \"a;\"\"b\"; commit|COMMIT",
            "SELECT $$;$$; commit|COMMIT",
            "SELECT $a$ $b$ ; $a$; commit|COMMIT",
            "SELECT a$$; commit; SELECT b$$|COMMIT",
            "SELECT $1; commit|COMMIT",
            "SELECT 1 -- ;\n; commit|COMMIT",
            "SELECT 1 /* /* ; */ ; */; commit|COMMIT",
            "SAVEPOINT a; ROLLBACK TO a; ROLLBACK|ROLLBACK",
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END; END|END",
            "listen orders|LISTEN",
            "select set_config('a', 'b', false)|SET_CONFIG",
            "SELECT pg_catalog.SET_CONFIG /* so */ ('a', 'b', ?)|SET_CONFIG",
            "WITH x AS (SELECT set_config('a', f('x,y', ARRAY[1, 2]), false)) SELECT true|SET_CONFIG",
            "SELECT set_config('a', E'\\', true), ', false)|SET_CONFIG",
            "SELECT set_config('a', set_config('b', 'c', false), true)|SET_CONFIG",
            "SELECT set_config('a', 'b', true); SELECT set_config('a', 'b', not true)|SET_CONFIG",
            "SELECT set_config('a', 'b', true AND false)|SET_CONFIG",
            "SELECT set_config('a', 'b'|SET_CONFIG",
            "{call set_config(?, ?, ?)}|SET_CONFIG",
            "SELECT 1 FROM pg_advisory_lock(7)|PG_ADVISORY_LOCK",
            "SELECT pg_try_advisory_lock_shared (7, 8)|PG_TRY_ADVISORY_LOCK_SHARED");

    private static final List<String> NOT_FOUND = List.of(
            "",
            ";",
            "SELECT 1",
            "set local role admin",
            "SET CONSTRAINTS ALL DEFERRED",
            "UPDATE t SET a = 1",
            "SELECT commit FROM begin",
            "SELECT '; commit'",
            "SELECT 'it''s; commit'",
            "SELECT E'\\'; commit'",
            "SELECT E'''; commit'",
            "SELECT \"; commit\"",
            "SELECT $$; commit; $$",
            "SELECT $a$ $$; commit; $b$ ; commit $a$",
            "SELECT 1 -- ; commit",
            "SELECT 1 /* ; /* ; */ commit ; commit */",
            "DO $$ BEGIN PERFORM 1; END $$",
            "rollback to a",
            "rollback /* ; */ work to savepoint a",
            "ROLLBACK TRANSACTION TO a; SELECT 1",
            "prepare p as select 1",
            "committed",
            "SELECT set_config('a', 'b', true)",
            "SELECT set_config('a', f(1, false), /* , false */ TRUE )",
            "SELECT set_config(setting_name => 'a', new_value => 'b', is_local => true)",
            "SELECT 'set_config(1, 2, false)', \"set_config\" -- set_config('a', 'b', false)",
            "SELECT set_config FROM t WHERE pg_advisory_lock = 1",
            "SELECT my_set_config('a', 'b', false)",
            "SELECT pg_advisory_xact_lock(7), pg_try_advisory_xact_lock(8), pg_advisory_unlock(9)",
            "SELECT CASE WHEN true THEN 1 END; SELECT 2",
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE 1 WHEN 1 THEN 2 END; SELECT 3; END",
            "SELECT 'open ; commit",
            "SELECT $$ open ; commit",
            "/* open ; commit");

    @Test
    void isFoundWhereverAStatementBegins() {
        for (String each : FOUND) {
            int bar = each.indexOf('|');
            assertThat(TransactionVerbs.firstIn(each.substring(0, bar)))
                    .as(each)
                    .isEqualTo(each.substring(bar + 1));
        }
    }

    @Test
    void isNotFoundWithinQuotesAndComments() {
        for (String sql : NOT_FOUND) {
            assertThat(TransactionVerbs.firstIn(sql)).as(sql).isEmpty();
        }
    }

    @Property
    void anyTextHasAnAnswer(
            @ForAll @Chars({';', '\'', '"', '$', '/', '*', '-', '\n', '\\', 'e', ' ', '1'}) String sql) {
        assertThat(TransactionVerbs.firstIn(sql)).isEmpty();
        assertThat(TransactionVerbs.firstIn(";" + "commit;" + sql)).isEqualTo("COMMIT");
    }

    @Test
    void aLongTextIsReadOnce() {
        String row = "INSERT INTO t VALUES ('a;b', $$c;d$$, \"e\"); ";
        assertThat(TransactionVerbs.firstIn(row.repeat(20_000) + "commit")).isEqualTo("COMMIT");
    }
}
