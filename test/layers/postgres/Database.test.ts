import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { database, freshDatabase } from "../../support/Database.ts"
import { databaseSuite } from "../../support/databaseSuite.ts"

databaseSuite("test_database", () => process.env["TEST_DATABASE_URL"])

layer(database("test_database_copy"))("the database of a test file", (it) => {
  it.effect("A test's database has the service's schema, and no rows of another file's tests", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table mine (id int)`
      assert.isNotEmpty(yield* sql`select from effect_sql_migrations`)
      yield* freshDatabase("test_database_other")
      assert.isEmpty(yield* sql`select from pg_stat_activity where datname = 'test_database_other'`)
    })
  )
})
