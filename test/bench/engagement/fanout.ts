import { setTimeout } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { bearer, post } from "../loadRequest.ts"
import { median } from "../quantiles.ts"
import { answerOf, type Server } from "../servers.ts"
import { createOf } from "../writes.ts"
import { type EngagementSeed, FOLLOWERS } from "./seed.ts"

const ROWS_PER_SECOND_MIN = 50_000
const POLL_MILLIS = 5
/** A round that takes longer fails. */
const SECONDS_MAX = 120

/** Publications of the creator with 100,000 followers. */
export interface Fanout {
  readonly rowsPerSecond: number
  readonly rounds: ReadonlyArray<number>
  /** The request that publishes: median. */
  readonly publishMillis: number
}

const answered = async (server: Server, request: Parameters<typeof answerOf>[1]) => {
  const { body, status } = await answerOf(server, request)
  if (status >= 300) throw new Error(`${request.path}: ${status} ${body}`)
  return JSON.parse(body)
}

/** Publishes a Post in each round, and waits until every follower has a notification of it. */
export const fanout = Effect.fnUntraced(function* (server: Server, { key }: EngagementSeed, rounds: number) {
  const sql = yield* PgClient.PgClient
  const waiting = Effect.fnUntraced(function* (postId: string) {
    const [row] = yield* sql<{ readonly is_waiting: boolean }>`
      select exists (select from notification_fanouts where post_id = ${postId}) as is_waiting`
    return row?.is_waiting === true
  })
  const words = (count: number) => Array.from({ length: count }, () => "penny").join(" ")
  const rates: Array<number> = []
  const publications: Array<number> = []
  for (let n = 0; n < rounds; n++) {
    const { id } = yield* Effect.promise(() => answered(server, createOf(words, key)))
    const publish = post(`/api/v1/posts/${id}/publish`, {}, { ...bearer(key), "idempotency-key": id })
    const begin = performance.now()
    yield* Effect.promise(() => answered(server, publish))
    const published = performance.now()
    while (yield* waiting(id)) {
      if (performance.now() - published > SECONDS_MAX * 1000)
        return yield* Effect.die(new Error(`The fan-out takes longer than ${SECONDS_MAX} s`))
      yield* Effect.promise(() => setTimeout(POLL_MILLIS))
    }
    const seconds = (performance.now() - begin) / 1000
    const [row] = yield* sql<{ readonly told: number; readonly followers: number }>`
      select
        (select count(*) from notifications where post_id = ${id} and type = 'new_post')::integer as told,
        (select count(*) from follows join posts on posts.owner_id = creator_id
          where posts.id = ${id} and ended_at is null)::integer as followers`
    if (row === undefined || row.told < FOLLOWERS || row.told !== row.followers)
      return yield* Effect.die(new Error(`${row?.told} of ${row?.followers} followers heard of the Post`))
    rates.push(row.told / seconds)
    publications.push(published - begin)
  }
  return {
    rowsPerSecond: median(rates),
    rounds: rates,
    publishMillis: median(publications)
  } satisfies Fanout
})

const thousands = (rate: number) => `${(rate / 1000).toFixed(1)}k`

export const fanoutTable = ({ publishMillis, rounds, rowsPerSecond }: Fanout): string =>
  `A Post reaches ${FOLLOWERS} followers (target: at least ${thousands(ROWS_PER_SECOND_MIN)} rows/s)\n` +
  `${thousands(rowsPerSecond)} rows/s (${rounds.map(thousands).join(" ")}); the request took ${publishMillis.toFixed(0)} ms`

/** Names the missed target; none when it is met. */
export const fanoutMissed = ({ rowsPerSecond }: Fanout): ReadonlyArray<string> =>
  rowsPerSecond < ROWS_PER_SECOND_MIN
    ? [`fan-out ${thousands(rowsPerSecond)} rows/s (target ${thousands(ROWS_PER_SECOND_MIN)})`]
    : []
