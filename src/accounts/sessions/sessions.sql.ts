import { Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isRestricted } from "../owners/owners.sql.ts"

const Method = Schema.Literals(["nano", "email"])

/** A refresh token, its session, and whether the token that replaced it is still the current one. */
const RefreshRow = Schema.Struct({
  session_id: SessionId,
  owner_id: OwnerId,
  method: Method,
  expires_at: Schema.Date,
  revoked_at: Schema.NullOr(Schema.Date),
  rotated_at: Schema.NullOr(Schema.Date),
  sealed_replacement: Schema.NullOr(Schema.Uint8Array),
  replacement_is_current: Schema.Boolean
})
export type RefreshRow = typeof RefreshRow.Type

const LiveRow = Schema.Struct({ owner_id: OwnerId, method: Method, is_restricted: Schema.Boolean })

interface Rotation {
  readonly replacementHash: Uint8Array
  readonly sealedReplacement: Uint8Array
  readonly at: Date
}

interface NewSession {
  readonly id: SessionId
  readonly owner_id: OwnerId
  readonly method: RefreshRow["method"]
  readonly at: Date
  readonly expires_at: Date
  readonly token_hash: Uint8Array
}

/** Statements over `sessions` and the `refresh_tokens` of their families. */
export const sessionStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, maybe, run } = statements(sql, "sessions")

  // The lock on the session orders a rotation after a revocation and before the next rotation. The second condition
  // on the token then sees the earlier one.
  const rotateThe = (
    name: string,
    isToken: Statement.Fragment,
    { at, replacementHash, sealedReplacement }: Rotation
  ) => changed(name)`
    with live as (
      select s.id from sessions s join refresh_tokens t on t.session_id = s.id
      where ${isToken} and t.rotated_at is null and s.revoked_at is null and s.expires_at > ${at}
      for update of s
    ), spent as (
      update refresh_tokens t
      set rotated_at = ${at}, replaced_by = ${replacementHash}, sealed_replacement = ${sealedReplacement}
      from live where ${isToken} and t.rotated_at is null
      returning t.session_id
    )
    insert into refresh_tokens (token_hash, session_id, created_at)
    select ${replacementHash}, session_id, ${at} from spent`

  return {
    findToken: (hash: Uint8Array) => maybe("findToken", RefreshRow)`
      select t.session_id, s.owner_id, s.method, s.expires_at, s.revoked_at, t.rotated_at, t.sealed_replacement,
        coalesce(r.rotated_at is null and r.token_hash is not null, false) as replacement_is_current
      from refresh_tokens t
      join sessions s on s.id = t.session_id
      left join refresh_tokens r on r.token_hash = t.replaced_by
      where t.token_hash = ${hash}`,

    /** Replaces the current token of a live session; false when another request was first. */
    rotate: ({ tokenHash, ...rotation }: Rotation & { readonly tokenHash: Uint8Array }) =>
      rotateThe("rotate", sql`t.token_hash = ${tokenHash}`, rotation),

    /** Replaces the current token of a session; false when the session has ended. */
    rotateCurrent: ({ sessionId, ...rotation }: Rotation & { readonly sessionId: SessionId }) =>
      rotateThe("rotateCurrent", sql`t.session_id = ${sessionId}`, rotation),

    open: ({ at, expires_at, id, method, owner_id, token_hash }: NewSession) => run("open")`
      with opened as (
        insert into sessions ${sql.insert({ id, owner_id, method, created_at: at, expires_at })}
        returning id
      )
      insert into refresh_tokens (token_hash, session_id, created_at)
      select ${token_hash}, id, ${at} from opened`,

    /** Ends a session and its family of tokens; true for the request that ended it. */
    revoke: (id: SessionId, at: Date) => changed("revoke")`
      update sessions set revoked_at = ${at} where id = ${id} and revoked_at is null`,

    /** Ends all sessions of an owner. */
    revokeAll: (owner: OwnerId, at: Date) => run("revokeAll")`
      update sessions set revoked_at = ${at} where owner_id = ${owner} and revoked_at is null`,

    /** Returns true for a session that began at a moment or later. */
    isSince: (id: SessionId, moment: Date) =>
      Effect.map(
        maybe("isSince", LiveRow)`
          select owner_id, method, false as is_restricted from sessions where id = ${id} and created_at >= ${moment}`,
        Option.isSome
      ),

    /** Erases sessions of an owner, with their tokens and cookies. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from sessions where ctid = any(array(
        select ctid from sessions where owner_id = ${owner} limit ${limit}))`,

    /** Ends the sessions of an owner that browsers have, except one. */
    revokeOtherBrowsers: (owner: OwnerId, except: SessionId, at: Date) => run("revokeOtherBrowsers")`
      update sessions s set revoked_at = ${at} from browser_sessions b
      where b.session_id = s.id and s.owner_id = ${owner} and s.id <> ${except} and s.revoked_at is null`,

    /** Returns none for a session that has ended. `is_restricted` is about its owner. */
    findLive: (id: SessionId, at: Date) => maybe("findLive", LiveRow)`
      select s.owner_id, s.method, ${sql.literal(isRestricted("o"))} as is_restricted
      from sessions s join owners o on o.id = s.owner_id
      where s.id = ${id} and s.revoked_at is null and s.expires_at > ${at}`,

    /** Deletes sealed replacements and sessions that no request can use any more. */
    sweep: ({ expiredBefore, sealedBefore }: { readonly sealedBefore: Date; readonly expiredBefore: Date }) =>
      Effect.andThen(
        run("sweepSealed")`
          update refresh_tokens set sealed_replacement = null
          where sealed_replacement is not null and rotated_at < ${sealedBefore}`,
        run("sweep")`delete from sessions where expires_at < ${expiredBefore}`
      )
  }
})

/** Ends the sessions of accounts that close, and erases those of accounts that are deleted. */
export const sessionErasure = Effect.map(sessionStatements, ({ eraseSome, isSince, revokeAll }) => ({
  eraseSome,
  isSince,
  revokeAll
}))
