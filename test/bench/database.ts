import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Config, Effect, Layer, Option, Redacted } from "effect"
import { Client } from "pg"
import { EmbeddedPostgres } from "../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { emptyDatabase } from "../support/Database.ts"
import type { Seed } from "./seed/seed.ts"

/** A database of the bench, with a connection of its own. */
export interface Database {
  readonly url: string
  readonly rows: <Row>(text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>
}

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

/** The server of `BENCH_DATABASE_URL`, or an embedded one with the durable settings of a service. */
export const postgres = Effect.gen(function* () {
  const given = yield* Config.option(Config.String("BENCH_DATABASE_URL"))
  if (Option.isSome(given)) return given.value
  const settings = { shared_preload_libraries: "pg_stat_statements" }
  const layer = EmbeddedPostgres.layer({ dataDirectory: yield* directory, settings })
  const context = yield* Layer.build(layer)
  return Redacted.value((yield* EmbeddedPostgres.pipe(Effect.provide(context))).url)
})

/** Connects to a database until the end of the scope. */
export const connected = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: url, application_name: "bench" })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  ).pipe(
    Effect.map((client): Database => ({
      url,
      rows: async (text, values = []) => (await client.query(text, [...values])).rows
    }))
  )

const run = promisify(execFile)
const searchPath = process.env["PATH"]
const SEED_BYTES_MAX = 64 * 1024 * 1024

/** Makes a database that a checkout migrates and fills. It is dropped with the scope. */
export const seeded = Effect.fnUntraced(function* (
  server: string,
  { name, path }: { readonly name: string; readonly path: string }
) {
  const database = `pennypress_bench_${name}`
  const url = Redacted.value(yield* emptyDatabase(database, { server }))
  const admin = yield* connected(server)
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => admin.rows(`drop database if exists ${database} with (force)`))
  )
  const seed = yield* Effect.promise(async (signal): Promise<Seed> => {
    const program = join(path, "test/bench/seed/program.ts")
    const env = { PATH: searchPath, DATABASE_URL: url }
    const { stdout } = await run(process.execPath, [program], { env, signal, maxBuffer: SEED_BYTES_MAX })
    return JSON.parse(stdout)
  })
  const own = yield* connected(url)
  // It counts statements where the server loads it.
  const counting = "create extension if not exists pg_stat_statements"
  yield* Effect.promise(() => own.rows(counting).catch(() => []))
  return { name, path, database: own, data: yield* directory, seed }
})
