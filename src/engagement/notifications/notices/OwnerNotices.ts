import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import { Notices } from "../../../publishing/posts/Notices.ts"
import { noticedMailings } from "../../subscribers/mailings/mailings.sql.ts"
import { FANOUTS, fanoutStatements } from "../fanout/fanouts.sql.ts"
import { NOTIFICATION_MAILS } from "../mails/mailsDue.sql.ts"
import { makeNotify, type NewNotification } from "./notices.sql.ts"

/**
 * Notifies owners of events. A single owner is notified in the transaction of the cause. Notifying many owners becomes
 * a fan-out, which workers do after the commit.
 */
export const OwnerNotices = Layer.effect(
  Notices,
  Effect.gen(function* () {
    const write = yield* makeNotify
    const fanouts = yield* fanoutStatements
    const mailings = yield* noticedMailings
    const doorbells = yield* Doorbells
    const bell = doorbells.bell(FANOUTS)
    const mailBell = doorbells.bell(NOTIFICATION_MAILS)
    const random = yield* SecureRandom.SecureRandom

    const notify = Effect.fnUntraced(function* (at: Date, notifications: ReadonlyArray<NewNotification>) {
      if (notifications.length > 0 && (yield* write(at, notifications)) > 0) yield* mailBell.ring
    })

    return Notices.of({
      published: Effect.fn("Notices.published")(function* ({ at, authorId, isMailed, postId }) {
        const id = yield* random.uuidV7()
        const post = { id, post_id: postId, actor_id: authorId, created_at: at }
        if (yield* fanouts.insertForFollowers(post)) yield* bell.ring
        if (isMailed) yield* mailings.begin(postId, authorId, at)
      }),

      unpublished: mailings.cancelAll,

      purchased: Effect.fn("Notices.purchased")((notice) =>
        notify(notice.at, [
          {
            recipient_id: notice.recipientId,
            type: "new_purchase",
            cause: notice.cause,
            ...(notice.buyerId === null ? {} : { actor_id: notice.buyerId }),
            ...(notice.postId === null ? {} : { post_id: notice.postId }),
            ...(notice.commentId === null ? {} : { comment_id: notice.commentId }),
            ...(notice.purchaseId === null ? {} : { purchase_id: notice.purchaseId }),
            data: { kind: notice.kind, amountRaw: String(notice.amountRaw), late: notice.late }
          }
        ])
      ),

      accountIssue: Effect.fn("Notices.accountIssue")(
        ({ at, cause, code, commentId, ownerId, postId, reason }) =>
          notify(at, [
            {
              recipient_id: ownerId,
              type: "account_issue",
              cause,
              ...(postId === undefined ? {} : { post_id: postId }),
              ...(commentId === undefined ? {} : { comment_id: commentId }),
              data: { code, cause, ...(reason === undefined ? {} : { reason }) }
            }
          ])
      )
    })
  })
)
