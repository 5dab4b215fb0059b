import { writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Redacted, References } from "effect"
import { archiveMeasurements, archives } from "./archives/archives.ts"
import { crawl, crawlMissed, crawlTable } from "./crawler.ts"
import { database } from "./database.ts"
import { disturb, disturbanceMissed, disturbanceTable } from "./disturbance.ts"
import { engagement, engagementMeasurements } from "./engagement/engagement.ts"
import { load, type LoadedOperation, type Round } from "./load.ts"
import { longSections, longSectionsMissed, longSectionsTable } from "./longSections.ts"
import type { Operation } from "./operation.ts"
import { operationsOf } from "./operations.ts"
import { paymentMeasurements, payments } from "./payments/payments.ts"
import { type OperationResult, summarise, tableOf, verdictOf } from "./report.ts"
import type { Seed } from "./seed.ts"
import { answerOf, type Server, type ServerName, referenceNames, start } from "./servers.ts"
import { statementsOf } from "./statements.ts"
import { uploadMeasurements, uploads } from "./uploads.ts"
import { verify } from "./verify.ts"

const HELP = `Compares the service with two plain servers that answer the same from the same database.

  npm run bench -- [--rounds 5] [--seconds 5] [--json <file>]
    [--only live|newest|post|search|profile|page|home|feed|full-store|mixed|key-check|create|create-long|patch|publish|publish-spread|refresh|sign-in|disturbance|crawler|long-sections|
            admission|screening|large-uploads|archives|archive-screening|slow-downloads|
            comment-page|reaction-summary|notification-feed|follow|react|comment|fan-out|
            terms|entitled|replay|purchase|watched-addresses]

Pages and feeds are compared with the JSON read of what they show. The disturbance is what sign-ins at a steady rate do
to the public reads of the same process; crawler what a sweep of every page does; long-sections what writers of 200,000
characters do. Admission is of images of 200 kB, beside a server that only stores them; screening
needs /usr/sbin/clamd; large-uploads are 32 of 5 MiB at a time. Archives are ZIPs of 5 MiB, and slow-downloads
100 readers of one of 25 MiB. The line before the last is of engagement, over a million
Comments and reactions: follow, react and comment have one target or 32, and fan-out tells 100,000 followers of a Post.
The last line is of payments, beside a Nano node that confirms at once: purchase is of one Post or of 100 authors' Posts.

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

const length = { rounds: Number(options.rounds), seconds: Number(options.seconds) }
const WARM_UP_SECONDS = 2
const FRESHENING_SECONDS = 1
const DISTURBANCE = "disturbance"
const CRAWLER = "crawler"
const LONG_SECTIONS = "long-sections"

/** Runs rounds in turn, A B C A B C …, so that other work of the machine falls on all servers alike. */
const compare = Effect.fnUntraced(function* (all: ReadonlyArray<Server>, operation: Operation) {
  const measured = (name: ServerName) =>
    name === "pennypress" || (name === "cold" ? operation.isKept === true : operation.ownAlone === undefined)
  const servers = all.filter(({ name }) => measured(name))
  const noRounds = () => new Map<ServerName, Array<Round>>(servers.map(({ name }) => [name, []]))
  const compared: ReadonlyArray<LoadedOperation> =
    operation.beside === undefined ? [operation] : [operation, operation.beside]
  const measurements = compared.map((it) => ({ operation: it, rounds: noRounds() }))
  const [own, beside] = measurements
  const round = (server: Server, it: LoadedOperation, seconds: number) =>
    Effect.promise(() => load(server, it, seconds))
  for (const server of servers)
    for (const it of measurements) yield* round(server, it.operation, WARM_UP_SECONDS)
  const before = yield* lookupsOf(servers)
  for (let n = 0; n < length.rounds; n++) {
    for (const server of servers)
      for (const it of measurements) {
        // Answers that ended during the other rounds are made anew before this one, not within it.
        if (operation.beside !== undefined) yield* round(server, it.operation, FRESHENING_SECONDS)
        it.rounds.get(server.name)?.push(yield* round(server, it.operation, length.seconds))
      }
  }
  const hitRatio = operation.isKept === true ? ratioOf(before, yield* lookupsOf(servers)) : undefined
  return summarise(operation, own!.rounds, { beside: beside?.rounds, hitRatio })
})

/** Returns the public reads of the service so far, and those of them that the store answered. */
const lookupsOf = Effect.fnUntraced(function* ([service]: ReadonlyArray<Server>) {
  if (service === undefined) return { hits: 0, all: 0 }
  const request = { method: "GET", path: "/metrics", headers: {} } as const
  const { body } = yield* Effect.promise(() => answerOf(service, request))
  const count = (outcome: string) =>
    Number(new RegExp(`^public_answers_total\\{outcome="${outcome}"\\} (\\d+)$`, "m").exec(body)?.[1] ?? 0)
  const hits = count("unrouted") + count("hit")
  return { hits, all: hits + count("miss") }
})

type Lookups = Effect.Success<ReturnType<typeof lookupsOf>>

const ratioOf = (before: Lookups, after: Lookups) => (after.hits - before.hits) / (after.all - before.all)

const isChosen = (name: string) => options.only.length === 0 || options.only.includes(name)

/** Measures the operations, the disturbance and the long sections, with servers that end afterwards. */
const comparisons = Effect.fnUntraced(function* ({
  seed,
  url
}: {
  readonly seed: Seed
  readonly url: string
}) {
  const all = operationsOf(seed)
  const operations = all.filter(({ name }) => isChosen(name))
  const isAnyCompared = operations.some(({ ownAlone }) => ownAlone === undefined)
  const compared = isAnyCompared ? all.filter(({ ownAlone }) => ownAlone === undefined) : []
  const service = yield* start("pennypress", url)
  const watch = PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "bench" })
  const captured = compared.filter(({ first }) => first !== undefined)
  const statements = yield* statementsOf(service, captured).pipe(Effect.provide(watch))
  const references = yield* Effect.forEach(compared.length === 0 ? [] : referenceNames, (name) =>
    start(name, url, statements)
  )
  const cold = yield* start("cold", url)
  const servers = [service, cold, ...references]
  yield* Effect.forEach(compared, (operation) => verify(servers, operation))

  const results: Array<OperationResult> = []
  for (const operation of operations) {
    const result = yield* compare(servers, operation)
    yield* Console.log(`${tableOf(result)}\n`)
    results.push(result)
  }
  const disturbance = isChosen(DISTURBANCE) ? yield* disturb(service, all, length) : undefined
  if (disturbance !== undefined) yield* Console.log(`${disturbanceTable(disturbance)}\n`)
  const crawled = isChosen(CRAWLER) ? yield* crawl(service, all, seed, length) : undefined
  if (crawled !== undefined) yield* Console.log(`${crawlTable(crawled)}\n`)
  const sections = isChosen(LONG_SECTIONS) ? yield* longSections(service, all, seed, length) : undefined
  if (sections !== undefined) yield* Console.log(`${longSectionsTable(sections)}\n`)
  return { results, crawled, disturbance, sections }
}, Effect.scoped)

const bench = Effect.gen(function* () {
  yield* Console.log("Making a database with 10,000 published Posts …")
  const made = yield* database
  const names = [...operationsOf(made.seed).map(({ name }) => name), CRAWLER, DISTURBANCE, LONG_SECTIONS]
  const isAnyUpload = uploadMeasurements.some(isChosen)
  const isAnyOther = names.some(isChosen)
  const isAnyArchive = archiveMeasurements.some(isChosen)
  const isAnyPayment = paymentMeasurements.some(isChosen)
  const isAnyEngagement = engagementMeasurements.some(isChosen)
  if (!isAnyOther && !isAnyUpload && !isAnyArchive && !isAnyPayment && !isAnyEngagement)
    return yield* Effect.die(new Error(`--only ${options.only.join(" ")} names no operation`))

  yield* Console.log(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; 32 connections,`)
  yield* Console.log(`${options.rounds} rounds of ${options.seconds} s in turn, medians of the rounds\n`)
  const compared = isAnyOther ? yield* comparisons(made) : undefined
  const uploaded = isAnyUpload ? yield* uploads(made, { ...length, isChosen }) : undefined
  const zipped = isAnyArchive ? yield* archives(made, { ...length, isChosen }) : undefined
  const paid = isAnyPayment ? yield* payments(made, { ...length, isChosen }) : undefined
  const engaged = isAnyEngagement ? yield* engagement(made, { ...length, isChosen }) : undefined
  const { crawled, disturbance, results = [], sections } = compared ?? {}
  const operations = [
    ...results,
    ...(uploaded?.admitted ?? []),
    ...(zipped?.admitted ?? []),
    ...(paid?.operations ?? []),
    ...(engaged?.operations ?? [])
  ]
  if (options.json !== undefined) {
    const { large, screening } = uploaded ?? {}
    const numbers = {
      operations,
      crawled,
      disturbance,
      longSections: sections,
      screening,
      largeUploads: large,
      requestCosts: paid?.costs,
      watchedAddresses: paid?.watched,
      fanout: engaged?.fanout
    }
    writeFileSync(options.json, `${JSON.stringify(numbers, undefined, 2)}\n`)
  }
  yield* Console.log(
    verdictOf(operations, [
      ...(disturbance === undefined ? [] : disturbanceMissed(disturbance)),
      ...(crawled === undefined ? [] : crawlMissed(crawled)),
      ...(sections === undefined ? [] : longSectionsMissed(sections)),
      ...(uploaded?.missed ?? []),
      ...(zipped?.missed ?? []),
      ...(paid?.missed ?? []),
      ...(engaged?.missed ?? [])
    ])
  )
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(bench)
