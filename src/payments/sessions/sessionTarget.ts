import { Effect, Option, Result } from "effect"
import {
  AlreadyPurchased,
  OwnTipTarget,
  PostIsFree,
  TippingUnavailable
} from "../../../schemas/payments/sessions/errors.ts"
import type {
  PaymentSessionDraft,
  TipSessionDraft
} from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Payees } from "../settlement/Payees.ts"
import type { NamedTipTarget } from "../tips/namedTipTarget.ts"
import { tipAmountOf } from "../tips/tipAmount.ts"
import { TipTargets } from "../tips/TipTargets.ts"
import { purchaseTargetStatements } from "./purchaseTargets.sql.ts"

/** The content of a creation: the same for each repeat of the request. */
export type SessionIntent =
  | { readonly kind: "purchase"; readonly postId: PostId }
  | { readonly kind: "tip"; readonly amountRaw: bigint; readonly target: NamedTipTarget }

const namedTargets = ({ commentId, handle, postId }: TipSessionDraft): ReadonlyArray<NamedTipTarget> => [
  ...(postId === undefined ? [] : [{ kind: "post", postId } as const]),
  ...(commentId === undefined ? [] : [{ kind: "comment", commentId } as const]),
  ...(handle === undefined
    ? []
    : [{ kind: "profile", handle: handle.replace(/^@/, "").toLowerCase() } as const])
]

const oneTarget = (named: ReadonlyArray<NamedTipTarget>): Result.Result<NamedTipTarget, FieldError> => {
  const [target, other] = named
  if (target === undefined)
    return Result.fail({
      field: "postId",
      code: "required",
      message: "Add postId, commentId or handle: what the tip is for"
    })
  if (other !== undefined)
    return Result.fail({
      field: other.kind === "comment" ? "commentId" : "handle",
      code: "conflict",
      message: "Name one target: send only one of postId, commentId and handle"
    })
  return Result.succeed(target)
}

/** Returns what a draft asks for, or every wrong member of it. */
const intentOf = (draft: PaymentSessionDraft): Result.Result<SessionIntent, ReadonlyArray<FieldError>> => {
  if (draft.kind === "purchase") return Result.succeed(draft)
  const amount = tipAmountOf(draft)
  const target = oneTarget(namedTargets(draft))
  const refused = [Result.getFailure(amount), Result.getFailure(target)].flatMap(Option.toArray)
  return Result.isSuccess(amount) && Result.isSuccess(target)
    ? Result.succeed({ kind: "tip", amountRaw: amount.success, target: target.success })
    : Result.fail(refused)
}

/** Makes the function that finds what a session pays for, and to whom, at this moment. */
export const makeSessionTarget = Effect.gen(function* () {
  const purchases = yield* purchaseTargetStatements
  const tips = yield* TipTargets
  const payees = yield* Payees

  const ofPurchase = Effect.fnUntraced(function* (postId: PostId, buyer: OwnerId | null) {
    const found = yield* purchases.find(postId, buyer)
    if (Option.isNone(found)) return yield* new NotFound()
    const { author_id: recipientId, is_owned, price_raw: baseRaw } = found.value
    if (baseRaw === null) return yield* new PostIsFree()
    if (recipientId === buyer)
      return yield* new OwnTipTarget({ detail: "This Post is your own: you read it without buying it" })
    if (is_owned) return yield* new AlreadyPurchased()
    const payee = yield* payees.of(recipientId, baseRaw)
    // A published Post has an author with a payout address.
    if (Option.isNone(payee)) return yield* new NotFound()
    return { kind: "purchase" as const, postId, commentId: null, recipientId, baseRaw, payee: payee.value }
  })

  return Effect.fnUntraced(function* (intent: SessionIntent, buyer: OwnerId | null) {
    if (intent.kind === "purchase") return yield* ofPurchase(intent.postId, buyer)
    const { commentId, postId, recipientId } = yield* tips.check(yield* tips.locate(intent.target), buyer)
    const payee = yield* payees.of(recipientId, intent.amountRaw)
    if (Option.isNone(payee)) return yield* new TippingUnavailable()
    return {
      kind: "tip" as const,
      postId,
      commentId,
      recipientId,
      baseRaw: intent.amountRaw,
      payee: payee.value
    }
  })
})

/** Returns what a draft asks for; fails with its wrong members. */
export const checkedIntent = (draft: PaymentSessionDraft) =>
  Effect.mapError(Effect.fromResult(intentOf(draft)), (errors) => new Validation({ errors }))
