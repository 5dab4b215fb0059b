import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { padded, uuidV7 } from "./words.ts"

export const FOLLOWERS = 100_000
/** Followers that the load follows in turn. */
const FOLLOWED = 32
/** Readers with a session: one for each connection of each round. */
const SESSIONS = 5_000
const KEY_ID = padded(0, 16)
const SECRET = padded(0, 43)

/** A creator with 100,000 followers. */
export interface ReaderSeed {
  /** A Publishing key of the creator. */
  readonly key: string
  /** Owners to follow. */
  readonly followed: ReadonlyArray<string>
  /** Unused refresh tokens of the sessions of other readers. */
  readonly sessions: ReadonlyArray<string>
}

const BEGIN = "timestamptz '2026-06-01Z'"
const idOf = (name: string, n: string) => uuidV7(`${BEGIN} + ${n} * interval '1 second'`, `'${name}' || ${n}`)
const CREATOR = idOf("creator", "0")

const owners = [
  `insert into owners (id, kind, wallet_public_key, name, handle, created_at, following_count)
   select ${idOf("reader", "n")}, 'wallet', sha256(convert_to('reader' || n, 'UTF8')), 'Reader ' || n,
     'reader_' || n, ${BEGIN}, 1 from generate_series(1, ${FOLLOWERS}) n`,
  `insert into owners (id, kind, wallet_public_key, name, handle, payout_address, created_at, follower_count)
   select ${CREATOR}, 'wallet', sha256('creator'), 'Creator', 'creator',
     (select payout_address from owners where payout_address is not null limit 1), ${BEGIN}, ${FOLLOWERS}`,
  `insert into api_keys (id, owner_id, key_id, secret_hash, created_at)
   select ${idOf("creator key", "0")}, ${CREATOR}, '${KEY_ID}', sha256('${SECRET}'), ${BEGIN}`,
  `insert into sessions (id, owner_id, method, created_at, expires_at)
   select ${idOf("session", "n")}, ${idOf("reader", `(${FOLLOWED} + n)`)}, 'nano', ${BEGIN}, '2100-01-01Z'
   from generate_series(1, ${SESSIONS}) n`,
  `insert into refresh_tokens (token_hash, session_id, created_at)
   select sha256(convert_to('ppw_' || lpad(n::text, 43, '0'), 'UTF8')), ${idOf("session", "n")}, ${BEGIN}
   from generate_series(1, ${SESSIONS}) n`
]

const follows = `
  insert into follows (id, follower_id, creator_id, created_at)
  select ${idOf("follow", "n")}, ${idOf("reader", "n")}, ${CREATOR}, ${BEGIN} + n * interval '1 second'
  from generate_series(1, ${FOLLOWERS}) n`

/** Adds a creator and the followers. */
export const seedReaders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      for (const statement of owners) yield* sql.unsafe(statement)
      // Without triggers and foreign keys: the rows are right by construction, and the counters are set above.
      yield* sql`set local session_replication_role = replica`.unprepared
      yield* sql.unsafe(follows)
    })
  )
  const rows = yield* sql<{ readonly id: string }>`
    select id from owners where handle like 'reader\\_%' order by id limit ${FOLLOWED}`
  return {
    key: `ppk_${KEY_ID}_${SECRET}`,
    followed: rows.map(({ id }) => id),
    sessions: Array.from({ length: SESSIONS }, (_, n) => `ppw_${padded(n + 1, 43)}`)
  } satisfies ReaderSeed
})
