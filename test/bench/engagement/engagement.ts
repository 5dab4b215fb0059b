import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Redacted } from "effect"
import * as Database from "../../../layers/postgres/Database.ts"
import { type OperationResult, tableOf } from "../report.ts"
import type { Seed } from "../seed.ts"
import { start } from "../servers.ts"
import { deedsOf } from "./deeds.ts"
import { type Fanout, fanout, fanoutMissed, fanoutTable } from "./fanout.ts"
import { signedIn } from "./owners.ts"
import { comparePair, inTurn, type Length, pairMissed, pairTable } from "./pairs.ts"
import { commentPages, ownReads } from "./reads.ts"
import { seedEngagement } from "./seed.ts"

/** Names of the measurements of engagement for `--only`. */
export const engagementMeasurements = [
  "comment-page",
  "reaction-summary",
  "notification-feed",
  "follow",
  "react",
  "comment",
  "fan-out"
] as const

/** Owners who write and read, 20 for each connection. */
const OWNERS = 640

interface Chosen extends Length {
  readonly isChosen: (name: string) => boolean
}

/**
 * Measures engagement over a million Comments and reactions, which it adds to the database. Prints the numbers as they
 * come. Public reads are measured without the store of answers.
 */
export const engagement = Effect.fnUntraced(function* (
  { seed, url }: { readonly seed: Seed; readonly url: string },
  { isChosen, ...length }: Chosen
) {
  yield* Console.log("Adding a million Comments and reactions …\n")
  const redacted = Redacted.make(url)
  const unbounded = Database.layer({ url: redacted, statementTimeout: "0", deadlineMillis: 600_000 })
  const made = yield* seedEngagement.pipe(Effect.provide(unbounded), Effect.scoped)
  const operations: Array<OperationResult> = []
  const missed: Array<string> = []

  if (isChosen("comment-page")) {
    const cold = yield* start("cold", url)
    const pages = yield* Effect.promise(() => commentPages(cold, made))
    const result = yield* comparePair(cold, pages, length)
    yield* Console.log(`${pairTable(result)}\n`)
    operations.push(...result.results)
    missed.push(...pairMissed(result))
  }
  const service = yield* start("pennypress", url)
  const tokens = yield* Effect.promise(() => signedIn(service, seed.families, OWNERS))
  for (const operation of ownReads(seed.posts, tokens).filter(({ name }) => isChosen(name))) {
    const results = yield* inTurn(service, [operation], length)
    for (const result of results) yield* Console.log(`${tableOf(result)}\n`)
    operations.push(...results)
  }
  for (const pair of deedsOf(made, tokens).filter(({ name }) => isChosen(name))) {
    const result = yield* comparePair(service, pair, length)
    yield* Console.log(`${pairTable(result)}\n`)
    operations.push(...result.results)
    missed.push(...pairMissed(result))
  }
  let told: Fanout | undefined
  if (isChosen("fan-out")) {
    const watch = PgClient.layer({ url: redacted, maxConnections: 1, applicationName: "bench" })
    told = yield* fanout(service, made, length.rounds).pipe(Effect.provide(watch))
    yield* Console.log(`${fanoutTable(told)}\n`)
    missed.push(...fanoutMissed(told))
  }
  return { operations, fanout: told, missed }
}, Effect.scoped)
