import { existsSync } from "node:fs"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, FileSystem, Layer, Option, Redacted } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Environment } from "../config/environment.ts"
import { makeSecretFingerprints } from "../crypto/secretFingerprints.ts"
import { areServerSecrets, ServerSecret } from "../crypto/ServerSecret.ts"
import { storage } from "../live.ts"
import { NAME } from "../postgres/embedded/database.ts"
import { runningDatabase } from "../postgres/embedded/EmbeddedPostgres.ts"
import {
  differences,
  LIMITS_ADVICE,
  limitsWarning,
  type ProcessRow,
  storeDifference
} from "../processes/differences.ts"
import { LIVE_MILLIS } from "../processes/LiveProcesses.ts"
import { canRead } from "../processes/marker.ts"
import { processStatements } from "../processes/processes.sql.ts"
import { sharedSettings } from "../processes/sharedSettings.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("processes")

const SAME = "Give these settings the same values in every process of the database."

/** Returns the fingerprints of the secret; none before the first start has made one. */
const ownFingerprints = Effect.fnUntraced(function* ({ PENNYPRESS_DATA, SERVER_SECRET }: Environment) {
  const fs = yield* FileSystem.FileSystem
  const file = join(PENNYPRESS_DATA, "server-secret")
  const text = Option.isSome(SERVER_SECRET)
    ? Redacted.value(SERVER_SECRET.value)
    : yield* Effect.orElseSucceed(fs.readFileString(file), () => "")
  if (!areServerSecrets(text)) return Option.none()
  return Option.some(yield* Effect.provide(makeSecretFingerprints, ServerSecret.layer(Redacted.make(text))))
})

/** Returns those whose marker the store of this configuration has not. */
const elsewhere = (environment: Environment, rows: ReadonlyArray<ProcessRow>) => {
  const marked = rows.filter(({ has_marker }) => has_marker)
  const directory = join(environment.PENNYPRESS_DATA, "objects")
  // The store would make a folder that is missing.
  if (Option.isNone(environment.S3_URL) && !existsSync(directory)) return Effect.succeed(marked)
  return Effect.filter(marked, ({ id }) => Effect.map(canRead(id), (isHere) => !isHere)).pipe(
    Effect.provide(Layer.mergeAll(storage(environment)))
  )
}

const described = (rows: ReadonlyArray<ProcessRow>) =>
  rows
    .map(({ host, release, started_at }) => `${host} (release ${release}, since ${started_at.toISOString()})`)
    .join(", ")

const asked = Effect.fnUntraced(function* (url: Redacted.Redacted, environment: Environment) {
  const sql = yield* PgClient.make({ url, maxConnections: 1, connectTimeout: "5 seconds" })
  const [table] = yield* sql<{
    readonly there: boolean
  }>`select to_regclass('processes') is not null as there`
  if (table?.there !== true) return []
  const rows = yield* processStatements(LIVE_MILLIS).pipe(Effect.provideService(SqlClient.SqlClient, sql))
  const others = yield* rows.others(null)
  if (others.length === 0) return [ok("No process serves the database now.")]
  const count = others.length === 1 ? "One process serves" : `${others.length} processes serve`
  const secretsFor = yield* ownFingerprints(environment)
  const own = {
    ...sharedSettings(environment),
    secretsFor: Option.getOrElse(secretsFor, () => (): ReadonlyArray<string> => [])
  }
  const found: Array<Finding> = [ok(`${count} the database now: ${described(others)}.`)]
  const different = others.flatMap((other) => differences(own, other))
  const apart = (yield* elsewhere(environment, others)).map(storeDifference)
  found.push(...[...different, ...apart].map((said) => fault(said, SAME)))
  const limits = limitsWarning(others.map(({ redis }) => redis))
  if (limits !== undefined) found.push(warning(limits, LIMITS_ADVICE))
  return found
}, Effect.scoped)

/** Shows the live processes, and what would keep one with this configuration from joining them. */
export const processesCheck = (environment: Environment) => {
  const check = (url: Redacted.Redacted) =>
    asked(url, environment).pipe(
      Effect.provide([Reactivity.layer, SecureRandom.layerWebCrypto, Kdf.layerWebCrypto]),
      // The lines about the database say so.
      Effect.catchTag("SqlError", () => Effect.succeed([]))
    )
  return within(
    "processes",
    Option.match(environment.DATABASE_URL, {
      onSome: check,
      onNone: () =>
        Effect.flatMap(
          runningDatabase(environment.PENNYPRESS_DATA, NAME),
          Option.match({ onSome: check, onNone: () => Effect.succeed([]) })
        )
    }),
    "Look at the lines about the database."
  )
}
