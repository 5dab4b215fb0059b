import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../layers/postgres/Database.ts"
import { emptyDatabase } from "./Database.ts"
import { migration, schemaOf } from "./migrations.ts"

const using = <A, E>(
  layer: Layer.Layer<SqlClient.SqlClient, E>,
  statement: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>
) => Effect.scoped(Effect.provide(Effect.flatMap(SqlClient.SqlClient, statement), layer))

const ran = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly migration_id: number }>`select migration_id from effect_sql_migrations order by 1`,
    (rows) => rows.map((row) => row.migration_id)
  )

/** The promises of the database layer, tested over one supported server. `prefix` separates its databases. */
export const databaseSuite = (prefix: string, server: () => string | undefined) => {
  const empty = (name: string) => {
    const url = server()
    if (url === undefined) throw new Error("no server to test with")
    return emptyDatabase(`${prefix}_${name}`, { server: url })
  }

  describe("Database", () => {
    it.effect("A database has the service's schema before a caller sees the pool", () =>
      Effect.gen(function* () {
        const url = yield* empty("schema")
        const seen = yield* using(Database.layer({ url }), (sql) =>
          Effect.all({
            ran: ran(sql),
            name: sql`select current_setting('application_name') as name`
          })
        )
        assert.isNotEmpty(seen.ran)
        assert.deepStrictEqual(seen.name, [{ name: "pennypress" }])
      })
    )

    it.effect("Processes that start together migrate once", () =>
      Effect.gen(function* () {
        const url = yield* empty("race")
        const migrated = using(Database.layer({ url }), ran)
        const all = yield* Effect.all([migrated, migrated, migrated, migrated], { concurrency: "unbounded" })
        for (const each of all) assert.deepStrictEqual(each, all[0])
      })
    )

    it.effect("A build's migrations run, without its declarations and maps", () =>
      Effect.gen(function* () {
        const url = yield* empty("built")
        const schema = yield* schemaOf({
          "0001_one.js": migration("create table one (id int)"),
          "0001_one.d.ts": "export default 1",
          "0001_one.js.map": "{}",
          "0002_two.js": migration("create table two (id int)"),
          "0002_two.d.ts": "export default 2"
        })
        assert.deepStrictEqual(yield* using(Database.layer({ url, schema }), ran), [1, 2])
      })
    )

    it.effect("A database of a newer release is refused, and left as it is", () =>
      Effect.gen(function* () {
        const url = yield* empty("newer")
        const one = { "0001_one.js": migration("create table one (id int)") }
        const newer = yield* schemaOf({ ...one, "0003_three.js": migration("create table three (id int)") })
        yield* using(Database.layer({ url, schema: newer }), ran)

        const older = yield* schemaOf({ ...one, "0002_two.js": migration("create table two (id int)") })
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Database.layer({ url, schema: older }))))

        if (error._tag !== "DatabaseNewerThanCode") return assert.fail(error.message)
        assert.strictEqual(error.databaseMigration, 3)
        assert.strictEqual(error.codeMigration, 2)
        assert.deepStrictEqual(yield* using(Database.layer({ url, schema: newer }), ran), [1, 3])
      })
    )

    it.effect(
      "The previous release starts on the tables of the next one, until those take something away",
      () =>
        Effect.gen(function* () {
          const url = yield* empty("rolled_back")
          const files = { "0001_one.js": migration("create table one (id int, made int)") }
          const making = (value: number) => [
            [
              `create or replace function make() returns trigger language plpgsql as $$
              begin new.made := ${value}; return new; end $$`,
              "create or replace trigger make before insert on one for each row execute function make()"
            ]
          ]
          const next = { ...files, "0002_two.js": migration("create table two (id int)") }
          const older = yield* schemaOf(files, making(1))
          yield* using(Database.layer({ url, schema: yield* schemaOf(next, making(2)) }), ran)
          const made = yield* using(
            Database.layer({ url, schema: older }),
            (sql) => sql`insert into one (id) values (1) returning made`
          )
          assert.deepStrictEqual(made, [{ made: 2 }], "its triggers replace none of the newer release")

          const contract = { ...next, "0003_contract_one.js": migration("alter table one drop column id") }
          yield* using(Database.layer({ url, schema: yield* schemaOf(contract, making(2)) }), ran)
          const error = yield* Effect.flip(Effect.scoped(Layer.build(Database.layer({ url, schema: older }))))
          assert.strictEqual(error._tag, "DatabaseNewerThanCode")
        })
    )

    it.effect("A database in another encoding is refused, with what to do", () =>
      Effect.gen(function* () {
        const url = yield* empty("encoding")
        const name = new URL(Redacted.value(url)).pathname.slice(1)
        const other = { url: yield* empty("of_encoding"), schema: yield* schemaOf({}) }
        yield* using(Database.layer(other), (sql) =>
          Effect.gen(function* () {
            yield* sql`drop database ${sql(name)}`.unprepared
            yield* sql`create database ${sql(name)} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`
              .unprepared
          })
        )
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Database.layer({ url }))))
        if (error._tag !== "DatabaseNotUtf8") return assert.fail(error.message)
        assert.include(error.message, "SQL_ASCII, and Pennypress needs UTF8. Create another one with")
      })
    )

    it.effect("A database from before the baseline is refused by name of its newest migration", () =>
      Effect.gen(function* () {
        const url = yield* empty("unreleased")
        const schema = yield* schemaOf({
          "0001_owners.js": migration("create table owners (id int)"),
          "0049_kept_files.js": migration("create table post_attachments (id int)")
        })
        yield* using(Database.layer({ url, schema }), ran)
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Database.layer({ url }))))
        if (error._tag !== "DatabaseNewerThanCode") return assert.fail(error.message)
        assert.strictEqual(error.databaseMigration, 49)
        assert.include(error.message, "A database from before the first release cannot be upgraded")
      })
    )

    it.effect("A release replaces the triggers of an earlier one, and leaves its own", () =>
      Effect.gen(function* () {
        const url = yield* empty("triggers")
        const files = { "0001_things.js": migration("create table things (id int, made int)") }
        const making = (value: number) => [
          `create or replace function make() returns trigger language plpgsql as $$
            begin new.made := ${value}; return new; end $$`,
          "create or replace trigger make before insert on things for each row execute function make()"
        ]
        const versions = (sql: SqlClient.SqlClient) =>
          sql`select xmin::text from pg_trigger where tgname = 'make'`
        const [earlier, later] = [yield* schemaOf(files, [making(1)]), yield* schemaOf(files, [making(2)])]
        const insert = (sql: SqlClient.SqlClient) =>
          Effect.all([sql`insert into things (id) values (1) returning made`, versions(sql)])
        const [first, version] = yield* using(Database.layer({ url, schema: earlier }), insert)
        assert.deepStrictEqual(first, [{ made: 1 }])
        assert.deepStrictEqual(yield* using(Database.layer({ url, schema: earlier }), versions), version)
        const [second] = yield* using(Database.layer({ url, schema: later }), insert)
        assert.deepStrictEqual(second, [{ made: 2 }])
      })
    )

    it.effect("A migration that fails leaves nothing of itself, and the next start continues with it", () =>
      Effect.gen(function* () {
        const url = yield* empty("failing")
        const one = { "0001_one.js": migration("create table one (id int)") }
        const three = { "0003_three.js": migration("create table three (id int)") }
        const schema = yield* schemaOf({
          ...one,
          ...three,
          "0002_two.js": migration("create table two (id int)", "insert into two values ('two')")
        })
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Database.layer({ url, schema }))))
        if (error._tag !== "MigrationError") return assert.fail(error.message)
        assert.strictEqual(error.message, "Migration 0002_two failed")

        const left = yield* using(Database.layer({ url, schema: yield* schemaOf(one) }), (sql) =>
          Effect.all([ran(sql), sql`select to_regclass('two') is null as gone`])
        )
        assert.deepStrictEqual(left, [[1], [{ gone: true }]])

        const corrected = { ...one, ...three, "0002_two.js": migration("create table two (id int)") }
        const now = yield* using(Database.layer({ url, schema: yield* schemaOf(corrected) }), ran)
        assert.deepStrictEqual(now, [1, 2, 3])
      })
    )

    it.effect("A pool does not mind a test that jumps over years", () =>
      Effect.gen(function* () {
        const url = yield* empty("clock")
        yield* using(Database.layer({ url, schema: yield* schemaOf({}) }), (sql) =>
          Effect.gen(function* () {
            yield* sql`select 1`
            yield* TestClock.setTime(Date.UTC(2026, 0, 1))
            assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
          })
        )
      })
    )
  })
}
