import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BUSY_POSTS, busyAuthor, seedPostsOfAuthor } from "../../support/busyAuthor.ts"
import { padded } from "./words.ts"

/** Unused refresh tokens: one for each connection of each round. */
const SESSIONS = 4_000
/** Above the numbers of the keys of all other authors. */
const NUMBER = 900_000
const KEY_ID = padded(NUMBER, 16)
const SECRET = padded(NUMBER, 43)
const COOKIE = `ppb_${padded(NUMBER, 43)}`
const BEGIN = "timestamptz '2026-06-01Z'"

/** The credentials of an author with 1,000 posts and 100,000 sales. */
export const desk = {
  key: `ppk_${KEY_ID}_${SECRET}`,
  /** The cookie of a browser that is signed in. */
  cookie: `pp=${COOKIE}`,
  sessions: Array.from({ length: SESSIONS }, (_, n) => `ppw_${padded(NUMBER + n, 43)}`)
}

const credentials = [
  `insert into api_keys (id, owner_id, key_id, secret_hash, created_at)
   values (gen_random_uuid(), '${busyAuthor}', '${KEY_ID}', sha256('${SECRET}'), ${BEGIN})`,
  `insert into sessions (id, owner_id, method, created_at, expires_at)
   select md5('desk' || n)::uuid, '${busyAuthor}', 'nano', ${BEGIN}, '2100-01-01Z' from generate_series(0, ${SESSIONS}) n`,
  `insert into refresh_tokens (token_hash, session_id, created_at)
   select sha256(convert_to('ppw_' || lpad((${NUMBER} + n)::text, 43, '0'), 'UTF8')), md5('desk' || n)::uuid, ${BEGIN}
   from generate_series(0, ${SESSIONS - 1}) n`,
  `insert into browser_sessions (session_id, token_hash, label, created_at)
   values (md5('desk${SESSIONS}')::uuid, sha256('${COOKIE}'), 'Bench', ${BEGIN})`
]

/** Adds the author whose desk is measured. */
export const seedDesk = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* seedPostsOfAuthor(BUSY_POSTS)
  for (const statement of credentials) yield* sql.unsafe(statement).unprepared
  yield* sql`vacuum analyze`.unprepared
})
