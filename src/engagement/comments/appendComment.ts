import { Effect, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import type { CommentDraft } from "../../../schemas/engagement/comments/Comment.ts"
import { CommenterIncomplete, CommentsDisabled } from "../../../schemas/engagement/comments/errors.ts"
import {
  AccountRestricted,
  IdempotencyConflict,
  NotFound,
  RateLimited,
  Validation
} from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { CommentId, type OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import { COUNTERS } from "../../platform/counters/Counters.ts"
import { Events } from "../../platform/events/Events.ts"
import { isSameFingerprint } from "../../platform/idempotency/fingerprint.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { quotaUnder, secondsLeft } from "../../platform/rate-limits/countedRows.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, MINUTE_MILLIS, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import { FANOUTS } from "../notifications/fanout/fanouts.sql.ts"
import { NOTIFICATION_MAILS } from "../notifications/mails/mailsDue.sql.ts"
import { commentAuthorStatements } from "./commentAuthors.sql.ts"
import type { CommentRow } from "./commentRow.ts"
import { type AppendFacts, type CommentQuotas, newCommentStatements } from "./newComments.sql.ts"
import { newCommentsTag } from "./publicReads.ts"
import { replyPlaceOf } from "./replyPlace.ts"

/** Maximum number of Comments of an account in a minute and in a day, in any window, wherever it begins. */
const PER_MINUTE = 10
const PER_DAY = 200

/** A reason why a Comment is not saved. */
export type AppendRefusal =
  | NotFound
  | AccountRestricted
  | CommentsDisabled
  | CommenterIncomplete
  | IdempotencyConflict
  | RateLimited
  | Validation

/**
 * The saved Comment, and whether its author has bought the Post. `saved` is undefined when an earlier request with the
 * same key saved it.
 */
interface Appended {
  readonly id: CommentId
  readonly saved: { readonly row: CommentRow; readonly hasPurchased: boolean } | undefined
}

/** Makes the function that saves a Comment once for each Idempotency-Key of its author (spec 4.6.1). */
export const makeAppendComment = Effect.gen(function* () {
  const comments = yield* newCommentStatements
  const authors = yield* commentAuthorStatements
  const transactions = yield* Transactions
  const { fingerprintOf } = yield* Idempotency
  const { changing } = yield* PublicAnswers
  const events = yield* Events
  const { bell } = yield* Doorbells
  const counted = bell(COUNTERS).ringHere
  const fanoutDue = bell(FANOUTS).ring
  const mailDue = bell(NOTIFICATION_MAILS).ring
  const random = yield* SecureRandom.SecureRandom
  const quotas = commentQuotas((yield* Settings).rateLimitFactor)

  return Effect.fn("Comments.append")(
    function* (
      authorId: OwnerId,
      postId: PostId,
      draft: CommentDraft,
      idempotencyKey: string
    ): Effect.fn.Return<Appended, AppendRefusal> {
      const { content, parentCommentId = null } = draft
      const replyTargetCommentId = draft.replyTargetCommentId ?? parentCommentId
      const named = { postId, content, parentCommentId, replyTargetCommentId }
      const request = { ...named, authorId, idempotencyKey }
      const intent = yield* fingerprintOf(named)

      // A concurrent repeat waits here for the first request, and sees its row. A change of the author's kind waits, too.
      yield* authors.lock(authorId)
      const facts = yield* comments.facts(request, quotas)
      if (facts.earlier_id !== null && facts.earlier_intent !== null) {
        if (!isSameFingerprint(intent, facts.earlier_intent)) return yield* new IdempotencyConflict()
        return { id: facts.earlier_id, saved: undefined }
      }
      // The account was restricted after its session was checked. The lock orders the two: earlier Comments are hidden.
      if (facts.is_restricted) return yield* new AccountRestricted()
      const postAuthorId = yield* checkDiscussion(facts)
      yield* checkSetup(facts)
      if (parentCommentId === null && replyTargetCommentId !== null) return yield* parentRequired()
      const id = CommentId.make(yield* random.uuidV7())
      const place = replyPlaceOf(id, request, facts)
      if (Result.isFailure(place)) return yield* new Validation({ errors: place.failure })
      const at = yield* now
      const retryAfterSeconds = commentWaitSeconds(facts, at)
      if (retryAfterSeconds !== undefined) return yield* new RateLimited({ retryAfterSeconds })

      const comment = { ...request, ...place.success, id, intent, at, byAgent: facts.by_agent }
      const replyTargetAuthorId = facts.target?.author_id ?? null
      const notice = { fanoutId: yield* random.uuidV7(), postAuthorId, replyTargetAuthorId }
      const { mailed, ...row } = yield* changing([postTags.discussion(postId), newCommentsTag])(
        comments.insert(comment, notice)
      )
      yield* events.record({
        ownerId: postAuthorId,
        type: "comment.created",
        subjectId: id,
        data: { postId },
        at
      })
      yield* counted
      yield* fanoutDue
      if (mailed > 0) yield* mailDue
      return { id, saved: { row, hasPurchased: facts.has_purchased } }
    },
    (effect) => transactions.run(effect)
  )
})

/** Returns the quotas under the factor of the operator. */
const commentQuotas = (factor: number): CommentQuotas => ({
  perMinute: quotaUnder(PER_MINUTE, factor),
  perDay: quotaUnder(PER_DAY, factor)
})

/** Returns the seconds after which the author may comment again; undefined when they may now. */
const commentWaitSeconds = (
  { day_from, minute_from }: Pick<AppendFacts, "day_from" | "minute_from">,
  at: Date
): number | undefined => {
  const left = Math.max(secondsLeft(minute_from, MINUTE_MILLIS, at), secondsLeft(day_from, DAY_MILLIS, at))
  return left > 0 ? left : undefined
}

/** Returns the author of a public Post that takes Comments. */
const checkDiscussion = Effect.fnUntraced(function* ({ comments_enabled, post_author_id }: AppendFacts) {
  if (post_author_id === null) return yield* new NotFound()
  if (comments_enabled !== true) return yield* new CommentsDisabled()
  return post_author_id
})

const required = (field: string): FieldError => ({
  field,
  code: "required",
  message: `Choose a ${field} before you comment`
})

/** Fails for an account that still has the name or the handle that it began with. */
const checkSetup = ({ handle, name }: AppendFacts) => {
  const errors = [
    ...(isReservedName(name) ? [required("name")] : []),
    ...(isGeneratedHandle(handle) ? [required("handle")] : [])
  ]
  return errors.length === 0 ? Effect.void : Effect.fail(new CommenterIncomplete({ errors }))
}

const parentRequired = () =>
  new Validation({
    errors: [
      {
        field: "parentCommentId",
        code: "required",
        message: "Name the parent of a reply that names a target"
      }
    ]
  })
