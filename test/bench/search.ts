import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../layers/postgres/Database.ts"
import { CategoryId, PostId } from "../../schemas/platform/Ids.ts"
import { authorStatements } from "../../src/publishing/discovery/authors.sql.ts"
import { discoveryStatements } from "../../src/publishing/discovery/discovery.sql.ts"
import { relatedStatements } from "../../src/publishing/discovery/related.sql.ts"
import { searchQueryOf } from "../../src/publishing/discovery/searchQuery.ts"
import { summaryStatements } from "../../src/publishing/discovery/summaries.sql.ts"
import { postIdOf, seedManyPosts } from "../support/manyPosts.ts"
import { wordOf } from "./seed/words.ts"

// Measures the statements of searches and lists over many Posts, one after the other. Fills the database of DATABASE_URL,
// which must be empty; a second run measures the same Posts.
const { values } = parseArgs({ options: { posts: { type: "string", default: "300000" } } })
const posts = Number(values.posts)
const ROUNDS = 45
const WARM_UP = 5
const WORDS_OF_PARAGRAPH = 60

const quantile = (times: ReadonlyArray<number>, share: number) =>
  `${(times.toSorted((one, other) => one - other)[Math.ceil(share * times.length) - 1] ?? 0).toFixed(1)} ms`

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if ((yield* sql`select from posts limit 1`).length === 0) yield* seedManyPosts(posts, WORDS_OF_PARAGRAPH)
  const { page, slice } = yield* summaryStatements
  const { matching } = yield* authorStatements
  const related = yield* relatedStatements
  const single = yield* discoveryStatements
  type Filter = Parameters<typeof page>[0]
  const list = (filter: Filter, sort: Parameters<typeof page>[1] = "newest") =>
    page(filter, sort, { page: 1, limit: 20 })
  const q = (text: string, more: Filter = {}) => list({ q: text, ...more })
  const category = (n: number) => CategoryId.make(1 + (n % 29))
  const post = (n: number) => PostId.make(postIdOf(1 + ((n * 7919) % posts)))
  const han = (...letters: ReadonlyArray<number>) => String.fromCodePoint(...letters.map((it) => 0x4e00 + it))
  const reads: Readonly<Record<string, (n: number) => Effect.Effect<unknown>>> = {
    "common word": (n) => q(wordOf(n % 10)),
    "common word, from a cursor": (n) => slice({ q: wordOf(n) }, "newest", { after: undefined, limit: 20 }),
    "frequent word": (n) => q(wordOf(100 + n * 10)),
    "rare word": (n) => q(wordOf(5000 + n * 50)),
    "word of one Post": (n) => q(`unique${n * 997 + 1}`),
    "absent word": (n) => q(`mistyped${n}`),
    "absent and common words": (n) => q(`mistyped${n} ${wordOf(1)} the`),
    "two frequent words": (n) => q(`${wordOf(60 + n)} ${wordOf(160 + n)}`),
    "word of old Posts": () => q("former"),
    "beginning of four letters": (n) => q(wordOf(n * 20).slice(0, 4)),
    "absent word and a beginning": (n) => q(`mistyped${n} ${wordOf(n * 20).slice(0, 4)}`),
    "phrase of common words": (n) => q(`"${wordOf(3 + n)} ${wordOf(n)}"`),
    "one Han letter": (n) => q(han(32 + n)),
    "two Han letters": (n) => q(han(n % 20, n % 30)),
    "four Han letters": (n) => q(han(n % 20, 1, n % 9, 5)),
    "common word of one author": (n) => q(wordOf(n), { handle: `author_${n + 1}` }),
    "language en": () => list({ language: "en" }),
    "language ja": () => list({ language: "ja" }),
    "language eo": () => list({ language: "eo" }),
    "language xx, which none has": () => list({ language: "xx" }),
    paid: () => list({ access: "paid" }),
    "category and paid": (n) => list({ categoryId: category(n), access: "paid" }),
    "category, kind and paid": (n) => list({ categoryId: category(n), authorKind: "agent", access: "paid" }),
    "category by reactions": (n) => list({ categoryId: category(n) }, "most_reacted"),
    "agents by purchases": () => list({ authorKind: "agent" }, "most_purchased"),
    ...Object.fromEntries(
      Object.entries({
        "common word": (n: number) => wordOf(n % 10),
        "frequent word": (n: number) => wordOf(100 + n * 10),
        "two frequent words": (n: number) => `${wordOf(60 + n)} ${wordOf(160 + n)}`,
        "rare word": (n: number) => wordOf(5000 + n * 50),
        "absent word": (n: number) => `mistyped${n}`,
        "word of old Posts": () => "former",
        "phrase of common words": (n: number) => `"${wordOf(3 + n)} ${wordOf(n)}"`,
        "two Han letters": (n: number) => han(n % 20, n % 30)
      }).map(([name, text]) => [`${name}, by relevance`, (n: number) => list({ q: text(n) }, "relevance")])
    ),
    "common word of one author, by relevance": (n) =>
      list({ q: wordOf(n), handle: `author_${n + 1}` }, "relevance"),
    "authors by name": (n) => matching(searchQueryOf(wordOf(n)) ?? "", wordOf(n)),
    "authors by a name that all have": () => matching("'smith'", "smith"),
    "related Posts": (n) => related.to(post(n), 4)
  }
  const timed = Effect.fnUntraced(function* (read: (n: number) => Effect.Effect<unknown>, rounds = ROUNDS) {
    const times: Array<number> = []
    for (let n = 0; n < rounds; n++) {
      const began = performance.now()
      yield* read(n)
      times.push(performance.now() - began)
    }
    return times.slice(WARM_UP)
  })
  yield* Console.log(`| ${posts.toLocaleString("en")} Posts | p50 | p99 |\n| --- | ---: | ---: |`)
  for (const [name, read] of Object.entries(reads)) {
    const times = yield* timed(read)
    yield* Console.log(`| ${name} | ${quantile(times, 0.5)} | ${quantile(times, 0.99)} |`)
  }
  const others = timed((n) => single.post(post(n)), 1_000)
  const alone = yield* others
  const searcher = (m: number) =>
    Effect.forEach(Array.from({ length: 1_000 }), (_, n) => q(wordOf((n * 7919 + m) % 8_000)))
  const searchers = Effect.forEach([0, 1, 2, 3], searcher, { concurrency: 4, discard: true })
  const beside = yield* Effect.raceFirst(others, Effect.andThen(searchers, Effect.succeed(alone)))
  yield* Console.log(`| p95 of other reads, alone | ${quantile(alone, 0.95)} | |`)
  yield* Console.log(`| p95 of other reads, with four searchers | ${quantile(beside, 0.95)} | |`)
})

const HOUR = 3_600_000
const database = Effect.map(Config.Redacted("DATABASE_URL"), (url) =>
  Database.layer({ url, statementTimeoutMillis: 0, deadlineMillis: HOUR, searchTimeoutMillis: HOUR })
)
bench.pipe(
  Effect.provide(Layer.unwrap(database)),
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")]),
  NodeRuntime.runMain
)
