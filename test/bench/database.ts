import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Option, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Database from "../../layers/postgres/Database.ts"
import { EmbeddedPostgres } from "../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { emptyDatabase } from "../support/Database.ts"
import { seed } from "./seed.ts"

const NAME = "pennypress_bench"

/** Makes a folder that is removed with the scope. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), "pennypress-bench-")))
    // Under root the server runs as another user, who has to reach the folder.
    chmodSync(path, 0o755)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
)

/** Starts the embedded server with the durable settings of a service, in a folder that is removed at the end. */
const embedded = Effect.gen(function* () {
  const layer = EmbeddedPostgres.layer({
    dataDirectory: yield* directory,
    // The whole text of a statement is to be seen in `pg_stat_activity`.
    settings: { track_activity_query_size: "16kB" }
  })
  const context = yield* Layer.build(layer)
  return Redacted.value((yield* EmbeddedPostgres.pipe(Effect.provide(context))).url)
})

/** Makes a migrated and seeded database, on the server of `BENCH_DATABASE_URL` or an embedded one. Ends with the scope. */
export const database = Effect.gen(function* () {
  const given = yield* Config.option(Config.String("BENCH_DATABASE_URL"))
  const server = Option.isSome(given) ? given.value : yield* embedded
  const url = yield* Effect.acquireRelease(emptyDatabase(NAME, { server }), () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.make({ url: Redacted.make(server), maxConnections: 1 })
      yield* sql`drop database ${sql(NAME)} with (force)`.unprepared
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.orDie)
  )
  const seeded = yield* seed.pipe(
    Effect.provide(Database.layer({ url, statementTimeout: "0", deadlineMillis: 600_000 })),
    Effect.scoped
  )
  return { url: Redacted.value(url), seed: seeded }
})
