import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Redeemed } from "../../../../schemas/payments/gifts/Gift.ts"
import { SessionIdempotencyKey } from "../../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../../schemas/platform/errors/common.ts"
import { GiftId, type OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Gifts } from "../../../payments/gifts/Gifts.ts"
import { FormRefused, unreadable } from "../../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../../platform/http/ServicePaths.ts"
import { limiting } from "../../../platform/rate-limits/http.ts"
import { now } from "../../../platform/time/now.ts"
import { makeBrowser } from "../../browser/http.ts"
import { postIdOf } from "../../browser/postIdOf.ts"
import { targetAfter } from "../../pages/parts/pager.ts"
import { giftsPage } from "./giftsPage.ts"
import { GiftEnd, giftsPath } from "./giftsPath.ts"
import {
  dayFieldOf,
  defaultTerms,
  type GiftTerms,
  requestOf,
  termsOf,
  type WrongTerms,
  wrongTerms
} from "./giftTerms.ts"
import { newGiftPage } from "./newGiftPage.ts"
import { makeOwnPosts } from "./ownPosts.ts"
import { ownPostsPage } from "./ownPostsPage.ts"

const decodePostId = Schema.decodeUnknownOption(PostId)
const decodeGiftId = Schema.decodeUnknownOption(GiftId)
const decodeRedeemed = Schema.decodeUnknownOption(Redeemed)
const decodeEnd = Schema.decodeUnknownOption(GiftEnd)
const isKey = Schema.is(SessionIdempotencyKey)

/** Gifts of a page. */
const GIFTS = 20

const refusals = {
  GiftAlreadyIssued:
    "This gift already exists, and we showed its link when you created it. Lost the link? Take the gift back below and create another one.",
  GiftLimitReached:
    "You have 200 gifts that can still be opened. Take one back before you create another one.",
  IdempotencyConflict: "You already created a different gift from this page. Create this one, too?",
  NotFound: "This post isn't published right now, so no gift was created.",
  PostIsFree: "This post is free: everyone can read it without a gift."
} as const

/** A page for an author as it is shown after a form, or before. */
interface Showing {
  readonly postId: PostId
  readonly ownerId: OwnerId
  /** Undefined for a form that was not yet filled in. */
  readonly terms?: GiftTerms
  readonly wrong?: WrongTerms
  readonly refusal?: string
  readonly done?: GiftEnd | null
  readonly after?: string | null
  readonly status?: number
}

/** Serves the pages on which authors give their Posts. */
export const GiftIssueRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const gifts = yield* Gifts
    const ownPosts = yield* makeOwnPosts
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const giftsOf = (ownerId: OwnerId, postId: PostId, after: string | null) =>
      gifts
        .list(ownerId, { postId, limit: GIFTS, ...(after === null ? {} : { cursor: after }) })
        .pipe(Effect.catchTag("Validation", () => Effect.fail(new NotFound())))

    const shown = Effect.fnUntraced(function* ({ after = null, ownerId, postId, ...showing }: Showing) {
      const at = yield* now
      const path = giftsPath(postId)
      const post = yield* ownPosts.post(ownerId, postId)
      const { data, pagination } = yield* giftsOf(ownerId, postId, after)
      const next = pagination.nextCursor
      const view = {
        postId,
        post,
        key: yield* random.uuidV4(),
        terms: showing.terms ?? defaultTerms(at),
        wrong: showing.wrong ?? {},
        today: dayFieldOf(at),
        gifts: data,
        next: next === null ? null : targetAfter(path, next),
        first: after === null ? null : path,
        done: showing.done ?? null,
        refusal: showing.refusal ?? null
      }
      return page(giftsPage(view), showing.status ?? 200)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const postId = yield* postIdOf
      const asked = yield* query
      const done = Option.getOrNull(decodeEnd(asked.get("done")))
      return yield* browser.asOwner(giftsPath(postId), ({ ownerId }) =>
        shown({ postId, ownerId, done, after: asked.get("after") })
      )
    })

    const choose = Effect.gen(function* () {
      yield* count("public-read")
      const after = (yield* query).get("after")
      const from = decodePostId(after)
      return yield* browser.asOwner("/give", ({ ownerId }) =>
        Effect.map(ownPosts.posts(ownerId, Option.getOrUndefined(from)), ({ next, posts }) =>
          page(
            ownPostsPage({
              posts,
              next: next === null ? null : targetAfter("/give", next),
              first: Option.isNone(from) ? null : "/give"
            })
          )
        )
      )
    })

    const issue = Effect.fnUntraced(function* (
      ownerId: OwnerId,
      postId: PostId,
      form: SentForm<keyof GiftTerms | "key">
    ) {
      const terms = termsOf(form)
      const key = form.get("key")
      if (!isKey(key)) return yield* unreadable(form)
      const post = yield* ownPosts.post(ownerId, postId)
      const back = (why: Pick<Showing, "wrong" | "refusal">) =>
        shown({ postId, ownerId, terms, ...why, status: 409 })
      const request = requestOf(postId, terms)
      if (!("postId" in request)) return yield* back({ wrong: request })
      return yield* gifts.issue(ownerId, request, key).pipe(
        Effect.map(({ gift, url }) => page(newGiftPage({ gift, title: post.title, url }))),
        Effect.catchTag("Validation", () => back({ wrong: { until: wrongTerms.until } })),
        Effect.catchTag(
          ["GiftAlreadyIssued", "GiftLimitReached", "IdempotencyConflict", "NotFound", "PostIsFree"],
          ({ _tag }) => back({ refusal: refusals[_tag] })
        )
      )
    })

    const give = Effect.gen(function* () {
      const form = yield* readForm({
        key: LENGTHS.word,
        label: LENGTHS.line,
        readers: LENGTHS.word,
        until: LENGTHS.word
      })
      const postId = yield* postIdOf
      return yield* browser.asOwner(giftsPath(postId), ({ ownerId }) => issue(ownerId, postId, form), {
        said: "You're not signed in. Sign in, and we'll create your gift link."
      })
    })

    const end = Effect.gen(function* () {
      const form = yield* readForm({ gift: LENGTHS.word, redeemed: LENGTHS.word })
      const postId = yield* postIdOf
      const id = decodeGiftId(form.get("gift"))
      const redeemed = decodeRedeemed(form.get("redeemed"))
      if (Option.isNone(id) || Option.isNone(redeemed)) return yield* new FormRefused({ status: 400 })
      return yield* browser.asOwner(giftsPath(postId), ({ ownerId }) =>
        Effect.map(gifts.revoke(ownerId, id.value, redeemed.value), (gift) =>
          seeOther(giftsPath(gift.postId, redeemed.value === "keep" ? "closed" : "ended"))
        )
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/give", answering(choose)),
      addPrivatePage("GET", "/give/:postId", answering(show)),
      addPrivatePage("POST", "/give/:postId", answering(give)),
      addPrivatePage("POST", "/give/:postId/end", answering(end))
    )
  })
)
