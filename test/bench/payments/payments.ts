import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Redacted } from "effect"
import { signedIn } from "../engagement/owners.ts"
import { comparePair, type Length, type Pair, pairMissed, pairTable } from "../engagement/pairs.ts"
import type { OperationResult } from "../report.ts"
import type { Seed } from "../seed.ts"
import { type Server, start } from "../servers.ts"
import { purchasesOf } from "./buyers.ts"
import { type Cost, costLine, costMissed, costOf } from "./costs.ts"
import { readsOf } from "./reads.ts"
import { type Watched, watched, watchedMissed, watchedTable } from "./watched.ts"

/** Names of the measurements of payments for `--only`. */
export const paymentMeasurements = ["terms", "entitled", "replay", "purchase", "watched-addresses"] as const

/** Posts that are read and bought for reading, and owners who buy them. */
const POSTS = 60
const OWNERS = 20
/** Authors whose Posts are bought in turn, and the least share of that for one Post of one author. */
const AUTHORS = 100
const ONE_OF_SPREAD_MIN = 0.7

/** Most transactions of a read. That of an account also looks whether its session lives. */
const TRANSACTIONS_MAX: Readonly<Record<string, number>> = { entitled: 2 }

interface Chosen extends Length {
  readonly isChosen: (name: string) => boolean
}

/** Returns one paid Post of each of so many authors. */
const forSale = Effect.fnUntraced(function* (authors: number) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ readonly id: string }>`
    select distinct on (owner_id) id from posts where status = 'published' and enable_paywall
    order by owner_id, id limit ${authors}`
  return rows.map(({ id }) => id)
})

/** The settings of a service with a node that confirms at once and asks for no work. */
const settingsOf = ({ url }: Server) => ({
  NANO_RPC_URL: url,
  NANO_WS_URL: url.replace("http", "ws"),
  NANO_WORK_THRESHOLD: "0".repeat(16)
})

/** Measures payments. Prints the numbers as they come. Reads are measured without the store of answers. */
export const payments = Effect.fnUntraced(
  function* ({ seed, url }: { readonly seed: Seed; readonly url: string }, { isChosen, ...length }: Chosen) {
    const node = yield* start("ledger", url)
    const server = yield* start("cold", url, {}, settingsOf(node))
    const posts = yield* forSale(AUTHORS)
    const operations: Array<OperationResult> = []
    const costs: Array<Cost> = []
    const missed: Array<string> = []

    const measured = Effect.fnUntraced(function* (pair: Pair) {
      const result = yield* comparePair(server, pair, length)
      yield* Console.log(`${pairTable(result)}\n`)
      operations.push(...result.results)
      missed.push(...pairMissed(result))
    })

    if (["terms", "entitled", "replay"].some(isChosen)) {
      const tokens = yield* Effect.promise(() => signedIn(server, seed.families, OWNERS))
      const reads = yield* readsOf(server, posts.slice(0, POSTS), tokens)
      for (const pair of [reads.terms, reads.entitled, reads.replayed]) {
        if (!isChosen(pair.name)) continue
        yield* measured(pair)
        const cost = yield* costOf(server, pair.operations[0], TRANSACTIONS_MAX[pair.name] ?? 1)
        yield* Console.log(`${costLine(cost)}\n`)
        costs.push(cost)
        missed.push(...costMissed(cost))
      }
    }
    if (isChosen("purchase")) {
      const [popular = ""] = posts
      yield* measured({
        name: "purchase",
        operations: [
          purchasesOf("purchase", "Buy one Post, each time with another wallet", [popular]),
          purchasesOf("purchase-spread", `Buy a Post of ${AUTHORS} authors in turn`, posts)
        ],
        least: ONE_OF_SPREAD_MIN
      })
    }
    let looks: Watched | undefined
    if (isChosen("watched-addresses")) {
      looks = yield* watched(server, length)
      yield* Console.log(`${watchedTable(looks)}\n`)
      missed.push(...watchedMissed(looks))
    }
    return { operations, costs, watched: looks, missed }
  },
  (effect, { url }) =>
    effect.pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "bench" }))
    ),
  Effect.scoped
)
