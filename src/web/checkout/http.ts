import { Effect, identity, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { SessionInvalid } from "../../../schemas/payments/sessions/errors.ts"
import {
  type PaymentSession,
  type PaymentSessionDraft,
  SESSION_WAIT_SECONDS_MAX
} from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound, type RateLimited } from "../../../schemas/platform/errors/common.ts"
import { PaymentSessionId, PostId } from "../../../schemas/platform/Ids.ts"
import { publicKeyOfAddress, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import {
  browserReceiptOf,
  type BrowserSecret,
  browserTokenOf
} from "../../payments/sessions/browserSecret.ts"
import { PaymentSessions, type SessionHolder } from "../../payments/sessions/PaymentSessions.ts"
import { isLocalCaller, makeLocalCheck } from "../../platform/http/localCallers.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { trusted } from "../../platform/pages/html.ts"
import { DevelopmentLedger } from "../../platform/ports/DevelopmentLedger.ts"
import { ReadCounter } from "../../platform/public-answers/ReadCounter.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { makeBrowser } from "../browser/http.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makeReading } from "../receipts/http.ts"
import { buyerSecretFrom, payPath, paymentCookie, readPath, restPath } from "../receipts/receipt.ts"
import { makeTipPageOf } from "../tip/tipPageOf.ts"
import { makeHandleOf } from "../tip/tipTargetOf.ts"
import { checkoutPage } from "./checkoutPage.ts"
import { isWaiting, sentenceOf } from "./checkoutView.ts"
import { refusedCheckout } from "./refusedCheckout.ts"
import { TIP_FIELDS, tipSentence, writtenTip } from "./writtenTip.ts"

const isSame = (one: BrowserSecret, other: BrowserSecret) => Redacted.value(one) === Redacted.value(other)

/** Seconds after which a browser without script looks again, if its reader asks for it. */
const REFRESH_SECONDS = 5

const decodePostId = Schema.decodeUnknownOption(PostId)
const decodeSessionId = Schema.decodeUnknownOption(PaymentSessionId)

/** Serves the checkouts of readers: payment sessions as pages. */
export const CheckoutRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const sessions = yield* PaymentSessions
    const discovery = yield* Discovery
    const handleOf = yield* makeHandleOf
    const counter = yield* ReadCounter
    const book = yield* DevelopmentLedger
    const isLocal = yield* makeLocalCheck(isLocalCaller)
    const { owner, reader } = yield* makeBrowser
    const preferences = yield* Preferences
    const about = yield* aboutPrices
    const reading = yield* makeReading
    const tipPageOf = yield* makeTipPageOf
    const count = yield* limiting
    const { answering, cookie, json, page, query, readForm, seeOther } = yield* makePrivatePages

    const begin = Effect.fnUntraced(function* (asked: PaymentSessionDraft) {
      const secret = yield* reading.secret
      const isFirst = (yield* reading.shownSecret) === undefined
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* sessions.open(secret, yield* reader, asked).pipe(
        Effect.map(({ id, isNew }) => {
          if (isNew && asked.kind === "purchase") counter.checkout(request, asked.postId)
          const on = reading.keepSecret(secret)(seeOther(payPath(id)))
          return isFirst ? cookie(...paymentCookie(id)).set(secret)(on) : on
        }),
        Effect.catchTags({
          AlreadyPurchased: () => Effect.succeed(seeOther(readPath(asked.postId as PostId))),
          OwnTipTarget: () =>
            Effect.succeed(
              asked.kind === "purchase" ? seeOther(readPath(asked.postId)) : page(refusedCheckout.own, 409)
            ),
          PostIsFree: () => Effect.map(discovery.post(asked.postId as PostId), ({ url }) => seeOther(url)),
          PaymentsDisabled: () => Effect.succeed(page(refusedCheckout.off, 503)),
          TippingUnavailable: () => Effect.succeed(page(refusedCheckout.unpayable, 409))
        })
      )
    })

    const tip = Effect.gen(function* () {
      const { amount, draft, target } = writtenTip(yield* readForm(TIP_FIELDS))
      yield* count("payment-session")
      if (Option.isNone(draft)) return yield* new NotFound()
      return yield* begin(draft.value).pipe(
        Effect.catchTag("Validation", () =>
          Effect.map(tipPageOf(target, { amount, sentence: tipSentence(amount) }), (it) => page(it, 400))
        )
      )
    })

    /** Begins to buy a Post, unless this browser has its text. */
    const buy = Effect.gen(function* () {
      yield* readForm({})
      yield* count("payment-session")
      const postId = yield* postIdOf
      if (yield* reading.hasText(yield* reading.asked(postId))) return seeOther(readPath(postId))
      // It names no amount.
      return yield* Effect.catchTag(begin({ kind: "purchase", postId }), "Validation", Effect.die)
    })

    /**
     * Returns the id that the path names, and the proof of this browser that it began the payment: its own secret, or the one of a
     * cookie of this payment, which ends once the browser shows that it kept the same.
     */
    const named = Effect.gen(function* () {
      const { sessionId } = yield* HttpRouter.params
      const id = decodeSessionId(sessionId)
      if (Option.isNone(id)) return yield* new NotFound()
      const request = yield* HttpServerRequest.HttpServerRequest
      const own = cookie(...paymentCookie(id.value)).read(request)
      const began = buyerSecretFrom(own)
      const shown = yield* reading.shownSecret
      const secret = began ?? shown
      const token = secret === undefined ? undefined : browserTokenOf(secret, id.value)
      const isSpare = began !== undefined && shown !== undefined && isSame(began, shown)
      const ending = isSpare ? cookie(...paymentCookie(id.value)).clear : identity
      return { id: id.value, began, ending, holder: { ownerId: yield* reader, token }, request }
    })

    const subjectOf = ({ target: { postId, profileId } }: PaymentSession) => {
      const post =
        postId === null
          ? Effect.map(
              Effect.flatMap(handleOf(profileId), ({ handle }) => discovery.profileSummary(handle)),
              ({ author_kind, avatar_url, handle, name }) => ({
                title: name,
                url: `/@${handle}`,
                author: { name, handle, avatarUrl: avatar_url, authorKind: author_kind }
              })
            )
          : Effect.map(discovery.post(postId), ({ author, title, url }) => ({ title, url, author }))
      return Effect.orElseSucceed(post, () => null)
    }

    /** Returns true for a signed-in payer who has not yet chosen whether lists of supporters show them. */
    const isAskedForName = Effect.flatMap(
      owner,
      Option.match({
        onNone: () => Effect.succeed(false),
        onSome: (it) => Effect.map(preferences.hasChosenSupporterLists(it), (hasChosen) => !hasChosen)
      })
    )

    /** Sends a buyer on to the text, once this browser has it: by this payment, or by another one. */
    const opened = Effect.fnUntraced(function* (
      { kind, state, target }: PaymentSession,
      began: BrowserSecret | undefined
    ) {
      const postId = decodePostId(target.postId)
      if (kind !== "purchase" || Option.isNone(postId)) return undefined
      const on = seeOther(restPath(postId.value))
      if (state === "paid" && began !== undefined) {
        const { token } = browserReceiptOf(began, postId.value)
        return (yield* reading.keep(postId.value, token))(on)
      }
      return state === "paid" || (yield* reading.hasText(yield* reading.asked(postId.value))) ? on : undefined
    })

    const show = Effect.gen(function* () {
      yield* count("access")
      const { began, ending, holder, id, request } = yield* named
      const asksToRefresh = request.url.endsWith(`?refresh=${REFRESH_SECONDS}`)
      const session = yield* sessions.read(id, holder, asksToRefresh ? 1 : 0)
      const on = yield* opened(session, began)
      if (on !== undefined) return ending(on)
      const svg = yield* sessions.qr(id, holder)
      const subject = yield* subjectOf(session)
      const isRefreshing = asksToRefresh && isWaiting(session.state)
      const shown = page(
        checkoutPage({
          path: payPath(id),
          session,
          subject,
          handle: session.target.postId === null ? (subject?.author.handle ?? null) : null,
          qr: trusted(svg),
          about: (yield* about)(xnoOfRaw(BigInt(session.baseAmountRaw))),
          isRefreshing,
          isAskedForName: session.state === "open" && (yield* isAskedForName),
          hasTestMoney: Option.isSome(book) && isLocal(request)
        }),
        200,
        isRefreshing ? { refresh: String(REFRESH_SECONDS) } : {}
      )
      return ending(shown)
    }).pipe(Effect.catchTag("SessionInvalid", () => Effect.succeed(page(refusedCheckout.otherBrowser, 403))))

    /** Waits for a change of the state that the page shows. */
    const status = Effect.gen(function* () {
      yield* count("access")
      const { holder, id } = yield* named
      const known = (yield* query).get("state")
      const now = yield* sessions.read(id, holder, 0)
      const session = now.state === known ? yield* sessions.read(id, holder, SESSION_WAIT_SECONDS_MAX) : now
      const next = isWaiting(session.state) ? null : payPath(id)
      return json({ state: session.state, text: sentenceOf(session), next })
    }).pipe(Effect.catchTag("SessionInvalid", () => Effect.succeed(json({ state: "unknown" }, 403))))

    /** Acts for a payment of this browser, and shows it. */
    const acting = <R>(
      act: (
        id: PaymentSessionId,
        holder: SessionHolder
      ) => Effect.Effect<unknown, NotFound | RateLimited | SessionInvalid, R>
    ) =>
      Effect.gen(function* () {
        yield* readForm({})
        yield* count("access")
        const { holder, id } = yield* named
        yield* act(id, holder)
        return seeOther(payPath(id))
      }).pipe(
        Effect.catchTag("SessionInvalid", () => Effect.succeed(page(refusedCheckout.otherBrowser, 403)))
      )

    const saySent = acting((id, holder) => sessions.saySent(id, holder, undefined))

    const cancel = acting(sessions.cancel)

    const payWithTestMoney = acting(
      Effect.fnUntraced(function* (id, holder) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { amountRaw, payTo, state } = yield* sessions.read(id, holder, 0)
        if (Option.isNone(book) || !isLocal(request)) return yield* new NotFound()
        yield* count("development-faucet")
        if (state === "open")
          yield* Effect.orDie(book.value.faucet(publicKeyOfAddress(payTo), BigInt(amountRaw)))
      })
    )

    return Layer.mergeAll(
      addPrivatePage("POST", "/pay", answering(tip)),
      addPrivatePage("POST", "/read/:postId/buy", answering(buy)),
      addPrivatePage("GET", "/pay/:sessionId", answering(show)),
      addPrivatePage("GET", "/pay/:sessionId/status", answering(status)),
      addPrivatePage("POST", "/pay/:sessionId/sent", answering(saySent)),
      addPrivatePage("POST", "/pay/:sessionId/cancel", answering(cancel)),
      addPrivatePage("POST", "/pay/:sessionId/test-money", answering(payWithTestMoney))
    )
  })
)
