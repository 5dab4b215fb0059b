import { Context, Effect, Layer, Option } from "effect"
import type {
  AuditPage,
  ModeratedComment,
  ModeratedPost
} from "../../../schemas/engagement/moderation/Moderation.ts"
import { CommentNotFound, InvalidCursor, PostNotFound } from "../../../schemas/engagement/moderation/rpc.ts"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import type { StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import { AuditLog, type AuditRow, type Because, WITHDRAWAL } from "../../accounts/administration/AuditLog.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Notices } from "../../publishing/posts/Notices.ts"
import {
  type ModeratedPost as Withdrawal,
  Withdrawals
} from "../../publishing/posts/withdrawal/Withdrawals.ts"
import { HiddenComments } from "../comments/HiddenComments.ts"
import { ownSubjects } from "./ownSubjects.sql.ts"

/** Default number of entries of a page of the audit log. */
const PAGE = 50

/** The issue of the author of a restored Post, by the status that it has now. */
const RESTORED = { published: "post_restored", draft: "post_restored_as_draft" } as const

/** A request for a page of the audit log. */
export interface AuditQuery {
  readonly subjectId?: string
  readonly limit?: number
  readonly cursor?: string
}

/**
 * Actions of moderators on single things, each with an entry of the audit log and a notice to its author in its transaction. A
 * repeat does and tells nothing.
 */
export class Moderation extends Context.Service<
  Moderation,
  {
    readonly withdrawPost: (
      authority: StaffAuthority,
      id: PostId,
      because: Because
    ) => Effect.Effect<ModeratedPost, PostNotFound>
    readonly restorePost: (
      authority: StaffAuthority,
      id: PostId,
      because: Because
    ) => Effect.Effect<ModeratedPost, PostNotFound>
    readonly hideComment: (
      authority: StaffAuthority,
      id: CommentId,
      because: Because
    ) => Effect.Effect<ModeratedComment, CommentNotFound>
    readonly restoreComment: (
      authority: StaffAuthority,
      id: CommentId,
      because: Because
    ) => Effect.Effect<ModeratedComment, CommentNotFound>
    /**
     * Returns a page of the log. A moderator does not read what others did, and noted, about the moderator's own things and
     * account. Such entries are left out, so a page may have fewer.
     */
    readonly audit: (authority: StaffAuthority, query: AuditQuery) => Effect.Effect<AuditPage, InvalidCursor>
  }
>()("pennypress/engagement/moderation/Moderation") {
  static readonly layer = Layer.effect(
    Moderation,
    Effect.gen(function* () {
      const withdrawals = yield* Withdrawals
      const comments = yield* HiddenComments
      const auditLog = yield* AuditLog
      const notices = yield* Notices
      const transactions = yield* Transactions
      const cursors = yield* Cursors
      const ownOf = yield* ownSubjects

      /** Returns the entries that are not about the moderator who reads them. */
      const aboutOthers = Effect.fnUntraced(function* (
        authority: StaffAuthority,
        rows: ReadonlyArray<AuditRow>
      ) {
        if (authority.kind !== "moderator" || rows.length === 0) return rows
        const { ownerId } = authority
        const own = yield* ownOf(
          ownerId,
          rows.map(({ subject_id }) => subject_id)
        )
        return rows.filter(
          ({ action, subject_id }) =>
            !own.has(subject_id) && !(subject_id === ownerId && action.startsWith("accounts."))
        )
      })

      const post = (
        action: string,
        change: (authority: StaffAuthority, id: PostId) => Effect.Effect<Option.Option<Withdrawal>>
      ) =>
        Effect.fn(`Moderation.${action}`)(
          function* (authority: StaffAuthority, id: PostId, because: Because) {
            const changed = yield* change(authority, id)
            if (Option.isNone(changed)) return yield* new PostNotFound({ postId: id })
            const { isChanged, isWithdrawn, ownerId, status } = changed.value
            if (isChanged) {
              const cause = yield* auditLog.record(authority, { action, subjectId: id, ...because })
              const code = isWithdrawn ? "post_withdrawn" : RESTORED[status]
              const reason = because.reasonForAuthor
              yield* notices.accountIssue({ ownerId, code, postId: id, cause, reason, at: yield* now })
            }
            return { postId: id, status, isWithdrawn }
          },
          (effect) => transactions.run(effect)
        )

      const comment = (action: string, isHidden: boolean) =>
        Effect.fn(`Moderation.${action}`)(
          function* (authority: StaffAuthority, id: CommentId, because: Because) {
            const { authorId, isChanged, postId } = yield* (isHidden ? comments.hide : comments.restore)(
              authority,
              id
            ).pipe(Effect.mapError(() => new CommentNotFound({ commentId: id })))
            if (isChanged) {
              const cause = yield* auditLog.record(authority, { action, subjectId: id, ...because })
              const code = isHidden ? "comment_hidden" : "comment_restored"
              const about = { ownerId: authorId, code, postId, commentId: id }
              yield* notices.accountIssue({
                ...about,
                cause,
                reason: because.reasonForAuthor,
                at: yield* now
              })
            }
            return { commentId: id, postId, isHidden }
          },
          (effect) => transactions.run(effect)
        )

      return Moderation.of({
        hideComment: comment("moderation.comments.hide", true),
        restoreComment: comment("moderation.comments.restore", false),
        withdrawPost: post(WITHDRAWAL, withdrawals.withdraw),
        restorePost: post("moderation.posts.restore", withdrawals.restore),

        audit: Effect.fn("Moderation.audit")(function* (authority, { cursor, limit = PAGE, subjectId }) {
          const list = `audit ${subjectId ?? ""}`
          const position = cursor === undefined ? undefined : yield* cursors.read(list, cursor)
          const [createdAt, id] = position === undefined ? [] : Option.getOrElse(position, () => [])
          const after = createdAt === undefined || id === undefined ? undefined : { createdAt, id }
          if (position !== undefined && after === undefined) return yield* new InvalidCursor()
          const rows = yield* auditLog.list(authority, { subjectId, after, limit: limit + 1 })
          const shown = rows.slice(0, limit)
          const last = rows.length > limit ? shown.at(-1) : undefined
          return {
            entries: (yield* aboutOthers(authority, shown)).map((row) => ({
              id: row.id,
              action: row.action,
              actor: row.actor,
              actorId: row.actor_id,
              subjectId: row.subject_id,
              reason: row.reason,
              reasonForAuthor: row.reason_for_author,
              createdAt: row.created_at
            })),
            nextCursor: last === undefined ? null : yield* cursors.make(list, [last.created_at, last.id])
          }
        })
      })
    })
  )
}
