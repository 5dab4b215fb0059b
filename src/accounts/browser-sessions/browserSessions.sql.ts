import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const IdRow = Schema.Struct({ session_id: SessionId })

const FoundRow = Schema.Struct({ session_id: SessionId, is_moderator: Schema.Boolean })
const OwnerRow = Schema.Struct({ owner_id: OwnerId })

const BrowserSessionRow = Schema.Struct({
  session_id: SessionId,
  label: Schema.String,
  created_at: Schema.Date,
  expires_at: Schema.Date
})
export type BrowserSessionRow = typeof BrowserSessionRow.Type

interface NewBrowserSession {
  readonly session_id: SessionId
  readonly token_hash: Uint8Array
  readonly label: string
  readonly created_at: Date
}

/** Statements over `browser_sessions`: cookies of browsers, which are deleted with the sessions that they stand for. */
export const browserSessionStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe, run } = statements(sql, "browserSessions")

  return {
    insert: (session: NewBrowserSession) =>
      run("insert")`insert into browser_sessions ${sql.insert({ ...session })}`,

    find: (tokenHash: Uint8Array) => maybe("find", FoundRow)`
      select b.session_id, exists (
        select from sessions s join moderators m on m.owner_id = s.owner_id where s.id = b.session_id) as is_moderator
      from browser_sessions b where b.token_hash = ${tokenHash}`,

    /** Returns the owner of a browser's session, also of one that has ended and is not swept yet. */
    ownerOf: (tokenHash: Uint8Array) => maybe("ownerOf", OwnerRow)`
      select s.owner_id from browser_sessions b join sessions s on s.id = b.session_id
      where b.token_hash = ${tokenHash}`,

    /** Returns true for a session of a browser of this owner, also for one that has ended. */
    isOwn: (owner: OwnerId, id: SessionId) =>
      Effect.map(
        maybe("isOwn", IdRow)`
          select b.session_id from browser_sessions b join sessions s on s.id = b.session_id
          where b.session_id = ${id} and s.owner_id = ${owner}`,
        Option.isSome
      ),

    /** Returns the browsers in which an owner is signed in, newest first. */
    live: (owner: OwnerId, at: Date) => many("live", BrowserSessionRow)`
      select b.session_id, b.label, b.created_at, s.expires_at
      from sessions s join browser_sessions b on b.session_id = s.id
      where s.owner_id = ${owner} and s.revoked_at is null and s.expires_at > ${at}
      order by b.created_at desc, b.session_id desc limit 100`
  }
})
