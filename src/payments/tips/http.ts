import { Effect, Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import type { TipDraft } from "../../../schemas/payments/tips/Tip.ts"
import type { CommentSupporter, TipActivity } from "../../../schemas/payments/tips/TipActivity.ts"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import {
  answerPaymentRequired,
  makeMarkLedger,
  paymentOfRequest,
  type Reasons,
  withPaymentResponse
} from "../x402/http.ts"
import type { NamedTipTarget } from "./namedTipTarget.ts"
import { PublicTips } from "./PublicTips.ts"
import { Tipping, type TipRefusal } from "./Tipping.ts"

const reasons: Reasons<TipRefusal> = {
  LedgerAway: "ledger_unavailable",
  NotFound: "not_found",
  OwnTipTarget: "own_target",
  PaymentIdentifierConflict: "payment_identifier_conflict",
  PaymentsDisabled: "payments_disabled",
  RateLimited: "rate_limited",
  TippingUnavailable: "tipping_unavailable",
  Validation: "validation"
}

export const TippingHttp = HttpApiBuilder.group(
  Api,
  "tipping",
  Effect.fnUntraced(function* (handlers) {
    const tipping = yield* Tipping
    const { network } = yield* NanoLedger
    const markLedger = yield* makeMarkLedger
    const { trustedProxies } = yield* Settings

    const tip = Effect.fnUntraced(function* (
      target: NamedTipTarget,
      draft: TipDraft,
      request: HttpServerRequest.HttpServerRequest
    ) {
      yield* markLedger
      const { ownerId: payerId } = yield* Viewer
      const payment = Option.getOrUndefined(yield* paymentOfRequest)
      const client = clientOf(request, trustedProxies)
      return yield* withPaymentResponse(tipping.tip({ target, draft, payerId, payment, client }), {
        payment: payment === undefined ? undefined : Result.succeed(payment),
        network,
        reasons
      })
    }, answerPaymentRequired)

    return handlers.handleAll({
      post: ({ params: { postId }, payload, request }) => tip({ kind: "post", postId }, payload, request),
      comment: ({ params: { commentId }, payload, request }) =>
        tip({ kind: "comment", commentId }, payload, request),
      profile: ({ params: { handle }, payload, request }) =>
        tip({ kind: "profile", handle: handle.replace(/^@/, "") }, payload, request)
    })
  })
)

type Tipped = ReadonlyArray<Pick<TipActivity | CommentSupporter, "supporter">>

/** The Post with its discussion and counters, and the Profiles that an answer shows. */
const tagsOf = (post: PostId, tips: Tipped) => [
  postTags.post(post),
  postTags.discussion(post),
  postTags.counts(post),
  ...new Set(tips.flatMap(({ supporter }) => (supporter === null ? [] : ownerTags.profile(supporter.id))))
]

const activitiesRead = (post: PostId): PublicRead<Tipped> => ({
  key: `tips ${post}`,
  tags: (tips) => tagsOf(post, tips)
})

const supportersRead = (post: PostId, comment: CommentId): PublicRead<Tipped> => ({
  key: `tips ${post} ${comment}`,
  limit: "reaction-read",
  tags: (tips) => tagsOf(post, tips)
})

/** The public reads of tips of spec 4.5. */
export const TipsHttp = HttpApiBuilder.group(
  Api,
  "tips",
  Effect.fnUntraced(function* (handlers) {
    const tips = yield* PublicTips
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      activities: ({ params: { postId }, request }) =>
        answer(request, activitiesRead(postId), tips.activities(postId)),
      supporters: ({ params: { commentId, postId }, request }) =>
        answer(request, supportersRead(postId, commentId), tips.supporters(postId, commentId))
    })
  })
)
