import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../layers/postgres/Database.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { emptyDatabase } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"

/** The migrations of the first release. */
const released = Effect.map(temporaryDirectory, (directory) => {
  const folder = join(directory, "migrations")
  mkdirSync(folder)
  for (const name of readdirSync("migrations").filter((name) => name < "0010"))
    symlinkSync(resolve("migrations", name), join(folder, name))
  return folder
})

const idOf = (n: number) => `00000000-0000-7000-8000-00000000000${n}`

describe("mailboxes of accounts that are older than the comparison", () => {
  it.effect("The oldest account keeps the mailbox, and others are found by their address as stored", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_mailboxes_migrated")
      const use = <A, E>(
        layer: Layer.Layer<SqlClient.SqlClient, E>,
        run: Effect.Effect<A, unknown, SqlClient.SqlClient>
      ) => Effect.scoped(Effect.provide(run, layer)).pipe(onRealClock)
      const insert = (n: number, email: string) =>
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`
            insert into owners (id, kind, name, handle, email, email_verified_at, created_at)
            values (${idOf(n)}, 'email', 'A', ${`handle${n}`}, ${email}, '2026-01-01', '2026-01-01')`
        )
      const addresses = [
        "Ada@example.org",
        "ada@example.org",
        "ADA@example.org.",
        "a@m\u00fcnchen.example",
        "Bea@b..c"
      ]
      yield* use(
        Database.layer({ url, migrations: yield* released }),
        Effect.forEach(addresses, (email, n) => insert(n + 1, email))
      )
      const mailboxes = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ readonly mailbox: string | null }>`select mailbox from owners order by id`
      )
      const after = yield* use(
        Database.layer({ url }),
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const migrated = yield* mailboxes
          // A process of the previous version writes an address without its mailbox and changes another.
          yield* insert(6, "Cleo@example.org")
          yield* insert(7, "cleo@example.org.")
          yield* sql`update owners set email = 'Dora@example.org' where id = ${idOf(5)}`
          return { migrated, written: yield* mailboxes }
        })
      )
      const columns = (rows: ReadonlyArray<{ readonly mailbox: string | null }>) =>
        rows.map((row) => row.mailbox)
      assert.deepStrictEqual(columns(after.migrated), [
        null,
        "ada@example.org",
        null,
        "a@xn--mnchen-3ya.example",
        "bea@b..c"
      ])
      assert.deepStrictEqual(columns(after.written).slice(4), ["dora@example.org", "cleo@example.org", null])
    })
  )
})
