import { Effect, Redacted } from "effect"
import { connectionTo, publicDigest } from "../services/uploadClient.ts"
import { access } from "../support/actors/buyer.ts"
import { eventually } from "../support/eventually.ts"
import { TestClient } from "../support/TestClient.ts"
import { type Record, recordingClient, type Write } from "./record.ts"
import type { Measuring } from "./table.ts"
import { databaseUrl, ORIGIN } from "./topology.ts"

/** Asks the service for a write. Returns why it is not there. */
const missing = Effect.fnUntraced(function* (origin: string, write: Write) {
  const client = yield* TestClient
  switch (write.kind) {
    case "post": {
      const { body, status } = yield* client.send("GET", `/api/v1/posts/${write.id}`, { token: write.key })
      return status === 200 && body.title === write.title ? undefined : `${status}`
    }
    case "publication": {
      const { body, status } = yield* client.send("GET", `/api/posts/${write.id}`)
      return status === 200 && body.title === write.title ? undefined : `${status}`
    }
    case "image": {
      const read = client.send("GET", write.status, { token: write.key })
      yield* eventually(
        `an end of ${write.status}`,
        Effect.map(read, ({ body, status }) => status === 200 && body.safety.state !== "queued")
      )
      const { body } = yield* read
      if (body.safety.state !== "cleared") return body.safety.state
      const digest = yield* publicDigest(origin, body.safety.publicUrl ?? body.publicUrl)
      return digest.length === 64 ? undefined : digest
    }
    case "purchase": {
      const { body, status } = yield* access(write.postId, { receipt: write.receipt })
      return status === 200 && body.access.via === "receipt" ? undefined : `${status}`
    }
    case "session": {
      const { refreshToken } = write
      const { status } = yield* client.send("POST", "/api/v1/auth/refresh", { body: { refreshToken } })
      return status === 200 ? undefined : `${status}`
    }
  }
})

/** Returns the acknowledged writes that the service does not have, each with the reason. */
export const lostOf = ({ writes }: Pick<Record, "writes">, origin = ORIGIN) =>
  Effect.forEach(
    writes,
    (write) => Effect.map(missing(origin, write), (why) => (why === undefined ? [] : [{ ...write, why }])),
    { concurrency: 4 }
  ).pipe(
    Effect.map((lost) => lost.flat()),
    Effect.provideService(TestClient, recordingClient(origin, { seen: [] }))
  )

/** Returns what the database has twice: posts of one Idempotency-Key, and purchases of one payment. */
const doubles = Effect.gen(function* () {
  const sql = yield* connectionTo(Redacted.make(databaseUrl()))
  const posts = yield* sql<{ title: string }>`
    select title from posts where title like 'Post-%' group by owner_id, title having count(*) > 1`
  const purchases = yield* sql<{ settlement_id: string }>`
    select settlement_id from purchases where settlement_id is not null group by settlement_id having count(*) > 1`
  return [...posts.map(({ title }) => title), ...purchases.map((it) => it.settlement_id)]
}).pipe(Effect.scoped)

/** Returns acknowledged purchases whose payment the database has not settled exactly once. */
const unsettled = ({ writes }: Record) =>
  Effect.gen(function* () {
    const sql = yield* connectionTo(Redacted.make(databaseUrl()))
    const rows = yield* sql<{ hash: string; settled: number }>`
      select upper(encode(block_hash, 'hex')) as hash, count(*)::int as settled from settlements
      where state = 'settled' group by 1`
    const settled = new Map(rows.map((row) => [row.hash, row.settled]))
    return writes.filter((write) => write.kind === "purchase" && settled.get(write.hash) !== 1)
  }).pipe(Effect.scoped)

/** Notes what the service lost or did twice of what it acknowledged, and answers that say it failed. */
export const check = Effect.fnUntraced(function* (record: Record, table: Measuring) {
  table.told("acknowledged writes", record.writes.length)
  table.none("acknowledged writes lost", yield* lostOf(record))
  table.none("posts or purchases doubled", yield* doubles)
  table.none("acknowledged purchases not settled once", yield* unsettled(record))
  table.none(
    "answers 500",
    record.seen.filter(({ status }) => status === 500)
  )
})
