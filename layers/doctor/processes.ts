import { join } from "node:path"
import { Effect, FileSystem, Option, Redacted } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"
import { Reactivity } from "effect/reactivity"
import type { Environment } from "../config/environment.ts"
import { areServerSecrets, ServerSecret } from "../crypto/ServerSecret.ts"
import { NAME } from "../postgres/embedded/database.ts"
import { runningDatabase } from "../postgres/embedded/EmbeddedPostgres.ts"
import { type HolderRow, HOLDERS, named, secretLocks, settingLocks } from "../processes/settingLocks.ts"
import { about, type Finding, within } from "./Finding.ts"
import { oneConnection } from "./oneConnection.ts"

const { fault, ok, warning } = about("processes")

const SAME = "Set it to the same value in every process of the database, and restart them."
const FILES = "Set the same bucket in S3_URL for every process, or the same PENNYPRESS_DATA on one machine."
const ROTATION =
  "Set it to the same value in every process. To rotate it, set old,new in every process first, then new,old, then new."
const REDIS = "Set REDIS_URL to the same Redis in every process."

/** Returns the locks of the secret; none before the first start has made one. */
const ownSecrets = Effect.fnUntraced(function* ({ PENNYPRESS_DATA, SERVER_SECRET }: Environment) {
  const fs = yield* FileSystem.FileSystem
  const file = join(PENNYPRESS_DATA, "server-secret")
  const text = Option.isSome(SERVER_SECRET)
    ? Redacted.value(SERVER_SECRET.value)
    : yield* Effect.orElseSucceed(fs.readFileString(file), () => "")
  if (!areServerSecrets(text)) return []
  return yield* Effect.provide(secretLocks, ServerSecret.layer(Redacted.make(text)))
})

/** A process with the numbers of its settings. */
interface Process {
  readonly name: string
  readonly values: ReadonlyMap<number, ReadonlyArray<number>>
}

const processesOf = (rows: ReadonlyArray<HolderRow>): ReadonlyArray<Process> =>
  [...Map.groupBy(rows, ({ pid }) => pid).values()].flatMap((own) =>
    own[0] === undefined
      ? []
      : [
          {
            name: named(own[0]),
            values: new Map(
              [...Map.groupBy(own, ({ lock }) => lock)].map(([lock, of]) => [
                lock,
                of.map(({ value }) => value)
              ])
            )
          }
        ]
  )

const examined = Effect.fnUntraced(function* (url: Redacted.Redacted, environment: Environment) {
  const sql = yield* oneConnection(url)
  const processes = processesOf(yield* sql.unsafe<HolderRow>(HOLDERS))
  if (processes.length === 0) return [ok("No process is using the database.")]
  const count = processes.length === 1 ? "One process is using" : `${processes.length} processes are using`
  const findings: Array<Finding> = [
    ok(`${count} the database: ${processes.map(({ name }) => name).join(", ")}.`)
  ]
  const locks = Map.groupBy(
    [...settingLocks(environment), ...(yield* ownSecrets(environment))],
    ({ setting }) => setting
  )
  for (const [setting, own] of locks) {
    const numbers = new Set(own.map(({ value }) => value))
    for (const { name, values } of processes) {
      const theirs = own[0] === undefined ? undefined : values.get(own[0].lock)
      // A process without a ledger or a Redis has no number for it.
      if (theirs === undefined || theirs.some((value) => numbers.has(value))) continue
      if (setting === "files") findings.push(fault(`The files differ from those of ${name}.`, FILES))
      else if (setting === "SERVER_SECRET")
        findings.push(fault(`SERVER_SECRET shares no secret with ${name}.`, ROTATION))
      else if (setting === "REDIS_URL")
        findings.push(
          warning(`REDIS_URL differs from that of ${name}, so the two count rate limits separately.`, REDIS)
        )
      else findings.push(fault(`${setting} differs from that of ${name}.`, SAME))
    }
  }
  if (processes.length > 1 && !locks.has("REDIS_URL"))
    findings.push(
      warning(
        "Several processes use this database without REDIS_URL, so each of them allows the full rate limits.",
        REDIS
      )
    )
  return findings
}, Effect.scoped)

/** Shows the processes that serve the database, and which settings of this configuration differ from theirs. */
export const processesCheck = (environment: Environment) => {
  const { DATABASE_DIRECT_URL, DATABASE_URL, PENNYPRESS_DATA } = environment
  const check = (url: Redacted.Redacted) =>
    examined(url, environment).pipe(
      Effect.provide([Reactivity.layer, SecureRandom.layerWebCrypto, Kdf.layerWebCrypto]),
      // The lines about the database say so.
      Effect.catchTag("SqlError", () => Effect.succeed([]))
    )
  const running = runningDatabase(PENNYPRESS_DATA, NAME)
  return within(
    "processes",
    Option.match(
      Option.orElse(DATABASE_DIRECT_URL, () => DATABASE_URL),
      {
        onSome: check,
        onNone: () =>
          Effect.flatMap(running, Option.match({ onSome: check, onNone: () => Effect.succeed([]) }))
      }
    ),
    "See the lines about the database."
  )
}
