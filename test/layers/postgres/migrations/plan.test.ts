import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { migrate, planMigrations } from "../../../../layers/postgres/migrate.ts"
import { onRealClock } from "../../../../layers/time/realClock.ts"
import { planLines } from "../../../../src/bin/planLines.ts"
import { emptyDatabase, freshDatabase } from "../../../support/Database.ts"
import { migration, schemaOf } from "../../../support/migrations.ts"

const live = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(Effect.provide(Reactivity.layer), onRealClock)

const things = { "0001_things.js": migration("create table things (id int primary key)") }
const pending = {
  ...things,
  "0002_sizes.js": migration("\n  alter table things\n    add column size int\n"),
  "0003_by_size.js": migration("create index concurrently if not exists things_size on things (size)"),
  "0004_slow.js": migration(
    "create index things_id on things (id)",
    "create table more (id int references things (id))",
    "create index more_id on more (id)"
  ),
  "0005_other.js": migration("do $$ begin perform 1; end $$")
}

describe("a plan", () => {
  it.effect("A plan has the statements of pending migrations, and changes nothing", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_plan_pending")
      yield* migrate(url, { schema: yield* schemaOf(things) })
      const sql = yield* PgClient.makeClient({ url })
      const schema = yield* schemaOf(pending, [
        ["create or replace trigger t before insert on things for each row execute function f()"]
      ])
      const plan = yield* planMigrations(url, schema)
      assert.deepStrictEqual(planLines(plan), [
        "The database is at migration 1. 5 steps are pending, up to migration 5:",
        "",
        "0002_sizes",
        "  alter table things",
        "    add column size int",
        "",
        "0003_by_size, outside a transaction",
        "  create index concurrently if not exists things_size on things (size)",
        "",
        "0004_slow",
        "  create index things_id on things (id)",
        "  create table more (id int references things (id))",
        "  create index more_id on more (id)",
        "",
        "0005_other",
        "  do $$ begin perform 1; end $$",
        "",
        "triggers",
        "  create or replace trigger t before insert on things for each row execute function f()",
        "",
        "Nothing was changed. A step that cannot get a lock within 100 ms gives up, and tries again after a pause."
      ])
      assert.isFalse(plan.migrations[1]?.inTransaction)
      assert.deepStrictEqual(yield* sql`select migration_id from effect_sql_migrations`, [
        { migration_id: 1 }
      ])
    }).pipe(live)
  )

  it.effect("A plan of a current database is empty", () =>
    Effect.gen(function* () {
      const plan = yield* planMigrations(yield* freshDatabase("test_plan_current"))
      assert.strictEqual(plan.state, "current")
      assert.deepStrictEqual(planLines(plan), [
        `The database is up to date, at migration ${plan.codeMigration}.`
      ])
    }).pipe(live)
  )

  it.effect("A plan of a newer database says which release to run", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_plan_newer")
      yield* migrate(url, { schema: yield* schemaOf(pending) })
      const plan = yield* planMigrations(url, yield* schemaOf(things))
      assert.deepStrictEqual(plan, { state: "newer", databaseMigration: 5, codeMigration: 1, migrations: [] })
      assert.match(planLines(plan).join(), /is at migration 5, but this release has none after 1/)
    }).pipe(live)
  )

  it.effect("A plan before the first start has every migration", () =>
    Effect.gen(function* () {
      const plan = yield* planMigrations(undefined)
      assert.strictEqual(plan.state, "pending")
      assert.isAbove(plan.migrations.length, 8)
      const names = plan.migrations.map(({ name }) => name)
      assert.deepStrictEqual(names.slice(0, 2), ["0001_platform", "0002_accounts"])
      const numbers = names.filter((name) => name !== "triggers").map((name) => name.slice(0, 4))
      assert.lengthOf(new Set(numbers), numbers.length, "each migration has a number of its own")
    }).pipe(live)
  )
})
