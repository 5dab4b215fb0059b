import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Option, Redacted, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as Database from "../../layers/postgres/Database.ts"
import { PostSort } from "../../src/engagement/desk/PostChoice.ts"
import { postTableStatements } from "../../src/engagement/desk/postTable.sql.ts"
import { Reads } from "../../src/engagement/reads/Reads.ts"
import { withSettings } from "../../src/index.ts"
import { ReadCounter, type ReaderRequest } from "../../src/platform/public-answers/ReadCounter.ts"
import { searchQueryOf } from "../../src/publishing/discovery/searchQuery.ts"
import { busyAuthor, busyPost, seedPostsOfAuthor } from "../support/busyAuthor.ts"
import { backends, processorOf } from "./processor.ts"

// Measures the table of an author's posts, in the processor time of PostgreSQL on this machine, and the processor time that
// counting adds to a read. Fills the database of DATABASE_URL, which must be empty; a second run measures the same posts.
const { values } = parseArgs({ options: { posts: { type: "string", default: "10000" } } })
const posts = Number(values.posts)
const ROUNDS = 45
const WARM_UP = 5
const LIMIT = 51

const BATCHES = 41
const READS = 20_000
const READERS = 5_000
const READ_POSTS = 100

const quantile = (times: ReadonlyArray<number>, share: number) =>
  times.toSorted((one, other) => one - other)[Math.ceil(share * times.length) - 1] ?? 0

/** A browser that comes from another site. */
const readerOf = (n: number): ReaderRequest => ({
  method: "GET",
  headers: {
    "user-agent": `Mozilla/5.0 (X11; Linux x86_64; rv:${n % 50}.0) Gecko/20100101 Firefox/${n % 50}.0`,
    referer: `https://site${n % 20}.example/path`,
    accept: "text/html",
    cookie: "theme=dark"
  },
  peerAddress: Option.some(`198.51.${n >> 8}.${n & 255}`)
})

const table = Effect.gen(function* () {
  const { slice } = yield* postTableStatements
  const words = searchQueryOf("pennies") ?? ""
  const first = { after: undefined, filter: undefined, limit: LIMIT, sort: undefined, words: undefined }
  const far = { ...first, after: busyPost(Math.ceil(posts / 2)) }
  const reads = {
    newest: first,
    "newest, from the middle": far,
    ...Object.fromEntries(PostSort.literals.map((sort) => [`by ${sort}`, { ...first, sort }])),
    "by sales, from the middle": { ...far, sort: "sales" as const },
    "paid posts by reads": { ...first, sort: "reads" as const, filter: "paid" as const },
    "all titles searched": { ...first, words }
  }
  yield* Console.log(`| ${posts.toLocaleString("en")} posts | p50 | p99 |\n| --- | ---: | ---: |`)
  for (const [name, choice] of Object.entries(reads)) {
    const times: Array<number> = []
    for (let n = 0; n < WARM_UP; n++) yield* slice(busyAuthor, choice)
    const pids = yield* backends
    for (let n = 0; n < ROUNDS; n++) {
      const began = processorOf(pids)
      yield* slice(busyAuthor, choice)
      times.push(processorOf(pids) - began)
    }
    yield* Console.log(
      `| ${name} | ${quantile(times, 0.5).toFixed(1)} ms | ${quantile(times, 0.99).toFixed(1)} ms |`
    )
  }
})

const counting = Effect.gen(function* () {
  const counter = yield* ReadCounter
  const { renewKeys } = yield* Reads
  yield* renewKeys
  const readers = Array.from({ length: READERS }, (_, n) => readerOf(n))
  const given = Array.from({ length: READ_POSTS }, (_, n) => ({ posts: [busyPost(1 + n)], hasWall: true }))
  let seen = 0
  /** Returns the processor time of a read in microseconds. What does not count still chooses its reader and its Post. */
  const batch = (read: ReadCounter["Service"]["read"]) => {
    const began = process.cpuUsage()
    for (let n = 0; n < READS; n++) read(readers[(n * 7919) % READERS]!, given[n % READ_POSTS]!)
    const { system, user } = process.cpuUsage(began)
    return (system + user) / READS
  }
  const pairs = Array.from({ length: BATCHES }, () => ({
    counted: batch(counter.read),
    without: batch(({ method }) => void (seen += method.length))
  })).slice(WARM_UP)
  const median = (of: "counted" | "without") =>
    quantile(
      pairs.map((it) => it[of]),
      0.5
    )
  const cost = pairs.map(({ counted, without }) => counted - without)
  yield* Console.log(
    `\n| a read of a post | median |\n| --- | ---: |\n| counted | ${median("counted").toFixed(2)} µs |\n` +
      `| not counted | ${median("without").toFixed(2)} µs |\n| cost, p50 | ${quantile(cost, 0.5).toFixed(2)} µs |\n` +
      `| cost, p99 | ${quantile(cost, 0.99).toFixed(2)} µs |`
  )
  return seen
})

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if ((yield* sql`select from posts limit 1`).length === 0) yield* seedPostsOfAuthor(posts)
  yield* table
  yield* counting
})

const HOUR = 3_600_000
const database = Effect.map(Config.Redacted("DATABASE_URL"), (url) =>
  Database.layer({ url, statementTimeoutMillis: 0, deadlineMillis: HOUR, searchTimeoutMillis: HOUR })
)
const settings = withSettings({ adminToken: Redacted.make("x".repeat(40)) })
bench.pipe(
  Effect.provide(Reads.layer.pipe(Layer.provideMerge(Layer.unwrap(database)), Layer.provide(settings))),
  Effect.scoped,
  Effect.provide([
    NodeServices.layer,
    SecureRandom.layerWebCrypto,
    Layer.succeed(References.MinimumLogLevel, "Warn")
  ]),
  NodeRuntime.runMain
)
