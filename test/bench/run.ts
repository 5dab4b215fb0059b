import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Redacted, References } from "effect"
import * as Database from "../../layers/postgres/Database.ts"
import { compare, type Result } from "./compare.ts"
import { connected, postgres, seeded } from "./database.ts"
import { hostile } from "./hostile.ts"
import { operationsOf } from "./operations/operations.ts"
import { describeRun, record } from "./record.ts"
import { printed, printedRest } from "./report.ts"
import { rest } from "./rest.ts"
import { seedDesk } from "./seed/desk.ts"
import { nanoNode, reference, service } from "./servers.ts"
import { countStatements } from "./statements.ts"
import { verify } from "./verify.ts"

const REST = "rest"
const HOSTILE = "hostile"
const DESK = "desk"

const HELP = `Measures the service, in turn with a Fastify server that answers the same from the same database.

  npm run bench -- [--rounds 3] [--seconds 3] [--only <name>]… [--against <checkout>] [--record]

  --only     measures this operation alone; ${REST} is the idle process, and ${HOSTILE} measures ordinary reads beside
             requests that are meant to hold them up. A wrong name prints all names.
  --against  also measures the service of another checkout, in turn with this one.
  --record   writes the numbers into test/bench/README.md.

It makes a PostgreSQL of its own unless BENCH_DATABASE_URL names a server.`

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    only: { type: "string", multiple: true, default: [] },
    against: { type: "string" },
    record: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})

const length = { rounds: Number(options.rounds), seconds: Number(options.seconds) }
const isChosen = (name: string) => options.only.length === 0 || options.only.includes(name)
const fail = (message: string) => Effect.die(new Error(message))

const here = resolve(import.meta.dirname, "../..")
const checkouts = [here, ...(options.against === undefined ? [] : [resolve(options.against)])]

const bench = Effect.gen(function* () {
  if (options.record && options.only.length > 0) return yield* fail("--record needs every operation")
  for (const path of checkouts)
    if (!existsSync(join(path, "test/bench/seed/program.ts")))
      return yield* fail(`${path} has no test/bench/seed/program.ts; copy one that fits its migrations`)

  const server = yield* postgres
  const admin = yield* connected(server)
  const machine = yield* Effect.promise(() => describeRun(admin))
  const run = `${machine} Rounds in turn: ${length.rounds} of ${length.seconds} s.`
  yield* Console.log(`${run}\n`)
  yield* Console.log("Making a database with 10,000 published Posts …")
  const made = yield* Effect.forEach(checkouts, (path, n) =>
    seeded(server, { path, name: n === 0 ? "service" : "against" })
  )
  const { database, seed } = made[0]!
  if (isChosen(DESK) || options.only.includes(HOSTILE))
    yield* Effect.forEach(made, ({ database: { url } }) =>
      seedDesk.pipe(
        Effect.provide(
          Database.layer({ url: Redacted.make(url), statementTimeoutMillis: 0, deadlineMillis: 600_000 })
        ),
        Effect.scoped
      )
    )
  const operations = yield* Effect.promise(() => operationsOf(seed))
  const names = [...new Set([REST, HOSTILE, ...operations.map(({ name }) => name)])]
  const unknown = options.only.filter((name) => !names.includes(name))
  if (unknown.length > 0) return yield* fail(`--only ${unknown.join(" ")} is none of ${names.join(", ")}`)

  const node = yield* nanoNode(database)
  const kept = yield* Effect.forEach(made, (it) => service(it, node, true))
  const idle = isChosen(REST) ? yield* Effect.promise(() => Promise.all(kept.map(rest))) : []
  for (const it of idle) yield* Console.log(printedRest(it))
  const cold = yield* Effect.forEach(made, (it) => service(it, node, false))
  const fastify = yield* reference(database)

  if (options.only.includes(HOSTILE))
    for (const [n, it] of kept.entries())
      yield* Effect.promise(() => hostile(it, made[n]!.seed, length.seconds))

  const results: Array<Result> = []
  const chosen = operations.filter(({ name }) => isChosen(name))
  // First, as later operations publish Posts.
  for (const operation of chosen.filter(({ isCompared }) => isCompared))
    yield* Effect.promise(() => verify([kept[0]!, cold[0]!, fastify], operation))
  const statements = yield* Effect.promise(() => countStatements(chosen, { kept, cold }))
  for (const operation of chosen) {
    const compared = compare({ kept, cold, fastify }, operation, statements, length)
    for (const result of yield* Effect.promise(() => compared)) {
      results.push(result)
      yield* Console.log(`\n${printed(result)}`)
    }
  }
  if (options.record) record(results, idle[0], run)
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(bench)
