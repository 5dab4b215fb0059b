import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../layers/postgres/Database.ts"
import { emptyDatabase } from "../support/Database.ts"
import { databaseSuite } from "../support/databaseSuite.ts"

const server = process.env["SERVICES_POSTGRES15_URL"]

describe("PostgreSQL 15", () => {
  it.effect("A PostgreSQL 15 is configured, and has the service's schema", () =>
    Effect.gen(function* () {
      if (server === undefined) return assert.fail("SERVICES_POSTGRES15_URL is missing: .ci/run sets it")
      const url = yield* emptyDatabase("services_postgres15", { server })
      const version = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql`select current_setting('server_version_num')::int4 / 10000 as major`
      })
      assert.deepStrictEqual(yield* Effect.provide(version, Database.layer({ url })), [{ major: 15 }])
    })
  )

  databaseSuite("services_postgres15", () => server)
})
