import { Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import { now } from "../../platform/time/now.ts"

/** The person who acts, and the reason. */
export interface Because {
  /** Administrators share one token. Without a name, the log says `administrator`. A moderator's handle replaces it. */
  readonly actor?: string | undefined
  readonly reason: string
  /** A sentence for the owner of the subject, who reads nothing else of this. */
  readonly reasonForAuthor?: string | undefined
}

/** The person behind an action: a moderator, whose account is named, or an administrator. */
export interface Actor {
  readonly name: string
  readonly id: OwnerId | null
}

/** Returns the person who acts. `named` is the name that an administrator gives. */
export const actorOf = (authority: StaffAuthority, named: string | undefined): Actor =>
  authority.kind === "moderator"
    ? { name: authority.handle, id: authority.ownerId }
    : { name: named ?? ADMINISTRATOR, id: null }

/** An action of an administrator or a moderator, such as `accounts.removeAgentLabel`, and its subject. */
export interface StaffAction extends Because {
  readonly action: string
  readonly subjectId: string
}

/** An action as it was recorded. */
const AuditRow = Schema.Struct({
  id: Schema.String,
  action: Schema.String,
  actor: Schema.String,
  actor_id: Schema.NullOr(OwnerId),
  subject_id: Schema.String,
  reason: Schema.String,
  reason_for_author: Schema.NullOr(Schema.String),
  created_at: Timestamp
})
export type AuditRow = typeof AuditRow.Type

const ReasonRow = Schema.Struct({ reason_for_author: Schema.NullOr(Schema.String) })

/** The actions after which each refusal says the reason. */
export const RESTRICTION = "accounts.restrict"
export const WITHDRAWAL = "moderation.posts.withdraw"
type Decision = typeof RESTRICTION | typeof WITHDRAWAL

/** Asks for recorded actions. */
export interface AuditQuery {
  readonly subjectId: string | undefined
  /** The last action of the previous page. */
  readonly after: { readonly createdAt: string; readonly id: string } | undefined
  readonly limit: number
}

/** The name that the log shows for an administrator who gives none. */
const ADMINISTRATOR = "administrator"

/** The record of the actions of administrators and moderators: their subject, time and reason. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Records an action, in the transaction that does it. Returns the id of the entry. */
    readonly record: (authority: StaffAuthority, action: StaffAction) => Effect.Effect<string>
    /** Returns the sentence for the owner of a subject about the last action of this kind; null if none was written. */
    readonly reasonForAuthor: (subjectId: string, action: Decision) => Effect.Effect<string | null>
    /** Returns actions on one subject or on all, newest first. */
    readonly list: (authority: StaffAuthority, query: AuditQuery) => Effect.Effect<ReadonlyArray<AuditRow>>
  }
>()("pennypress/accounts/administration/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const { many, maybe, run } = statements(sql, "AuditLog")

      return AuditLog.of({
        record: Effect.fnUntraced(function* (authority, { actor: named, ...entry }) {
          const { action, reason, reasonForAuthor = null, subjectId } = entry
          const id = yield* random.uuidV7()
          const actor = actorOf(authority, named)
          yield* run("record")`
            insert into administrator_actions
              (id, action, actor, actor_id, subject_id, reason, reason_for_author, created_at)
            values (${id}, ${action}, ${actor.name}, ${actor.id}, ${subjectId}, ${reason}, ${reasonForAuthor},
              ${yield* now})`
          return id
        }),

        reasonForAuthor: Effect.fn("AuditLog.reasonForAuthor")((subjectId, action) =>
          Effect.map(
            maybe("reasonForAuthor", ReasonRow)`
              select reason_for_author from administrator_actions
              where subject_id = ${subjectId} and action = ${action}
              order by created_at desc, id desc limit 1`,
            (row) => (Option.isSome(row) ? row.value.reason_for_author : null)
          )
        ),

        list: Effect.fn("AuditLog.list")((_authority, { after, limit, subjectId }) => {
          const conditions = [
            ...(subjectId === undefined ? [] : [sql`subject_id = ${subjectId}`]),
            ...(after === undefined
              ? []
              : [sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`])
          ]
          return many("list", AuditRow)`
            select id, action, actor, actor_id, subject_id, reason, reason_for_author, wire_time(created_at) as created_at
            from administrator_actions where ${sql.and(conditions)}
            order by created_at desc, id desc limit ${limit}`
        })
      })
    })
  )
}
