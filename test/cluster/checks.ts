import { Effect, Redacted } from "effect"
import { type SqlClient } from "effect/sql"
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
    (write) =>
      // A service that is busy just now has lost nothing.
      Effect.map(Effect.repeat(missing(origin, write), { times: 10, while: (why) => why === "503" }), (why) =>
        why === undefined ? [] : [{ ...write, why }]
      ),
    { concurrency: 4 }
  ).pipe(
    Effect.map((lost) => lost.flat()),
    Effect.provideService(TestClient, recordingClient(origin, { seen: [] }))
  )

/** Returns what the database has twice: posts of one Idempotency-Key, and purchases of a post by one wallet. */
const doublesIn = (sql: SqlClient.SqlClient) =>
  Effect.all([
    sql`select owner_id, title from posts where title like 'Post-%' group by 1, 2 having count(*) > 1`,
    sql`
      select payer_key, post_id from settlements where kind = 'purchase' and state = 'settled'
      group by 1, 2 having count(*) > 1`
  ]).pipe(Effect.map((found) => found.flat()))

/** Returns the payments of buyers on the ledger that no settled purchase came of. */
const paidForNothing = (sql: SqlClient.SqlClient) => sql`
  select hash from dev_ledger_blocks as sent
  where subtype = 'send' and account in (select payer_key from settlements)
    and not exists (
      select from purchases join settlements on settlements.id = settlement_id
      where block_hash = sent.hash and state = 'settled')`

/** Notes what the service lost or did twice of what it acknowledged, and answers that say it failed. */
export const check = Effect.fnUntraced(function* (record: Record, table: Measuring) {
  table.told("acknowledged writes", record.writes.length)
  table.none("acknowledged writes lost", yield* lostOf(record))
  const sql = yield* connectionTo(Redacted.make(databaseUrl()))
  table.none("posts or purchases doubled", yield* doublesIn(sql))
  table.none("payments without a purchase", yield* paidForNothing(sql))
  table.none(
    "answers 500",
    record.seen.filter(({ status }) => status === 500)
  )
})
