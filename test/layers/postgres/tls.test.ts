import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { getCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { databaseReason } from "../../../layers/postgres/databaseReason.ts"
import { migrate, planMigrations } from "../../../layers/postgres/migrate.ts"
import { isPooled } from "../../../layers/postgres/pooler.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { certificate } from "../mail/certificate.ts"
import { tlsProxy } from "./tlsProxy.ts"

/** Writes the file of an authority, and returns its path. */
const fileOf = Effect.fnUntraced(function* (pem: string) {
  const path = join(yield* temporaryDirectory, "ca.pem")
  writeFileSync(path, pem)
  return path
})

/** Returns `connected`, or the reason of the failure. */
const outcomeOf = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(
    Effect.provide(pool(url)),
    Effect.as("connected"),
    Effect.catch((error) => Effect.succeed(databaseReason(error)))
  )

describe("a database behind TLS with a private authority", () => {
  it.live("The parameters of a URL mean what they mean to libpq", () =>
    Effect.gen(function* () {
      const urlOf = yield* tlsProxy(yield* freshDatabase("test_tls"))
      const ours = yield* fileOf(certificate)
      const other = yield* fileOf(getCACertificates("bundled")[0]!)
      const cases = [
        ["localhost", { sslmode: "require" }, /^connected$/],
        ["localhost", { sslmode: "require", sslrootcert: ours }, /^connected$/],
        ["127.0.0.2", { sslmode: "require", sslrootcert: ours }, /^connected$/],
        ["localhost", { sslmode: "require", sslrootcert: other }, /certificate/],
        ["127.0.0.2", { sslmode: "verify-ca", sslrootcert: ours }, /^connected$/],
        ["localhost", { sslmode: "verify-ca", sslrootcert: other }, /certificate/],
        ["localhost", { sslmode: "verify-full", sslrootcert: ours }, /^connected$/],
        ["127.0.0.2", { sslmode: "verify-full", sslrootcert: ours }, /does not match/],
        ["localhost", { sslmode: "verify-full" }, /certificate/],
        ["localhost", { sslmode: "verify-full", sslrootcert: "system" }, /certificate/],
        ["localhost", { sslmode: "verify-full", sslrootcert: "/nowhere/ca.pem" }, /sslrootcert/],
        ["localhost", { sslmode: "disable" }, /./]
      ] as const
      for (const [host, parameters, expected] of cases)
        assert.match(yield* outcomeOf(urlOf(host, parameters)), expected, JSON.stringify([host, parameters]))
      assert.notStrictEqual(yield* outcomeOf(urlOf("localhost", { sslmode: "disable" })), "connected")
    })
  )

  it.live("Migrations and questions go the same way, and so do several hosts", () =>
    Effect.gen(function* () {
      const urlOf = yield* tlsProxy(yield* freshDatabase("test_tls_everywhere"))
      const sslrootcert = yield* fileOf(certificate)
      const url = urlOf("localhost", { sslmode: "verify-full", sslrootcert })
      assert.isFalse(yield* isPooled(url))
      yield* migrate(url)
      yield* planMigrations(url)
      const chosen = urlOf("localhost", {
        sslmode: "verify-full",
        sslrootcert,
        target_session_attrs: "read-write"
      })
      assert.strictEqual(yield* outcomeOf(chosen), "connected")
    })
  )
})
