import { writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Redacted, References } from "effect"
import { database } from "./database.ts"
import { load, type Operation, operationsOf, type Round } from "./load.ts"
import { type OperationResult, summarise, tableOf, verdictOf } from "./report.ts"
import { type Server, type ServerName, referenceNames, start } from "./servers.ts"
import { statementsOf } from "./statements.ts"
import { verify } from "./verify.ts"

const HELP = `Compares the service with two plain servers that answer the same from the same database.

  npm run bench -- [--rounds 5] [--seconds 5] [--only newest|post|search|create] [--json <file>]

It makes a PostgreSQL of its own unless BENCH_DATABASE_URL names a server.`

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "5" },
    only: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    help: { type: "boolean", default: false }
  }
})

const WARM_UP_SECONDS = 2

/** Rounds in turn, A B C A B C …, so that whatever else the machine does falls on all of them alike. */
const compare = Effect.fnUntraced(function* (servers: ReadonlyArray<Server>, operation: Operation) {
  const rounds = new Map<ServerName, Array<Round>>(servers.map(({ name }) => [name, []]))
  const round = (server: Server, seconds: number) => Effect.promise(() => load(server, operation, seconds))
  for (const server of servers) yield* round(server, WARM_UP_SECONDS)
  for (let n = 0; n < Number(options.rounds); n++) {
    for (const server of servers) rounds.get(server.name)?.push(yield* round(server, Number(options.seconds)))
  }
  return summarise(operation, rounds)
})

const chosen = (operations: ReadonlyArray<Operation>) =>
  options.only.length === 0 ? operations : operations.filter(({ name }) => options.only.includes(name))

const bench = Effect.gen(function* () {
  yield* Console.log("Making a database with 10,000 published Posts …")
  const { seed, url } = yield* database
  const all = operationsOf(seed)
  const operations = chosen(all)
  if (operations.length === 0)
    return yield* Effect.die(new Error(`--only ${options.only.join(" ")} names no operation`))
  const service = yield* start("pennypress", url)
  const watch = PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "bench" })
  const statements = yield* statementsOf(service, all).pipe(Effect.provide(watch))
  const references = yield* Effect.forEach(referenceNames, (name) => start(name, url, statements))
  const servers = [service, ...references]
  yield* Effect.forEach(operations, (operation) => verify(servers, operation))

  yield* Console.log(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; 32 connections,`)
  yield* Console.log(`${options.rounds} rounds of ${options.seconds} s in turn, medians of the rounds\n`)
  const results: Array<OperationResult> = []
  for (const operation of operations) {
    const result = yield* compare(servers, operation)
    yield* Console.log(`${tableOf(result)}\n`)
    results.push(result)
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`)
  yield* Console.log(verdictOf(results))
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(bench)
