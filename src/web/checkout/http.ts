import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { SessionInvalid } from "../../../schemas/payments/sessions/errors.ts"
import {
  type PaymentSession,
  PaymentSessionDraft,
  SESSION_WAIT_SECONDS_MAX
} from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound, type RateLimited } from "../../../schemas/platform/errors/common.ts"
import { PaymentSessionId, PostId } from "../../../schemas/platform/Ids.ts"
import { publicKeyOfAddress, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import { PaymentSessions, type SessionHolder } from "../../payments/sessions/PaymentSessions.ts"
import { isLocalCaller } from "../../platform/http/localCallers.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { trusted } from "../../platform/pages/html.ts"
import { DevelopmentLedger } from "../../platform/ports/DevelopmentLedger.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { makeBrowser } from "../browser/http.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makeReading } from "../receipts/http.ts"
import { readPath, receiptCookie } from "../receipts/receipt.ts"
import { checkoutPage } from "./checkoutPage.ts"
import { isWaiting, sentenceOf } from "./checkoutView.ts"
import { refusedCheckout, wrongTip } from "./refusedCheckout.ts"

/** Seconds for which a browser can show a payment that it started: a month, so that a late payment is found. */
const COOKIE_SECONDS = 30 * 24 * 60 * 60

/** Seconds after which a browser without script looks again, if its reader asks for it. */
const REFRESH_SECONDS = 5

const decodeDraft = Schema.decodeUnknownOption(PaymentSessionDraft)
const decodePostId = Schema.decodeUnknownOption(PostId)
const decodeSessionId = Schema.decodeUnknownOption(PaymentSessionId)

const pathOf = (id: PaymentSessionId) => `/pay/${id}`

const TIP_FIELDS = ["amountXno", "postId", "commentId", "handle"]

/** Returns the tip that a form requests. Fields of other names are ignored, and empty ones are absent. */
const tipOf = (form: URLSearchParams) => {
  const fields = TIP_FIELDS.flatMap((name) => {
    const value = form.get(name)?.trim() ?? ""
    return value === "" ? [] : [[name, value] as const]
  })
  return decodeDraft({ kind: "tip", ...Object.fromEntries(fields) })
}

/** The secret of a payment, and the author of a tip that names no Post. */
interface Held {
  readonly token: Redacted.Redacted
  readonly handle: string | null
}

const HELD = /^(pps_[0-9A-Za-z]{43})(?:\.([0-9A-Za-z_-]{1,100}))?$/

const heldOf = (value: Redacted.Redacted | undefined): Held | undefined => {
  const [, token, handle = null] = HELD.exec(value === undefined ? "" : Redacted.value(value)) ?? []
  return token === undefined ? undefined : { token: Redacted.make(token), handle }
}

/** Serves the checkouts of readers: payment sessions as pages. */
export const CheckoutRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const sessions = yield* PaymentSessions
    const discovery = yield* Discovery
    const random = yield* SecureRandom.SecureRandom
    const book = yield* DevelopmentLedger
    const { owner, reader } = yield* makeBrowser
    const preferences = yield* Preferences
    const about = yield* aboutPrices
    const reading = yield* makeReading
    const count = yield* limiting
    const { answering, cookie, json, page, query, readForm, seeOther } = yield* makePrivatePages

    const cookieOf = (id: PaymentSessionId) => cookie("pennypress-payment", pathOf(id), COOKIE_SECONDS)

    const begin = Effect.fnUntraced(function* (asked: PaymentSessionDraft) {
      const key = yield* random.uuidV4()
      return yield* sessions.create(yield* reader, asked, key).pipe(
        Effect.map(({ session, token }) => {
          const of =
            asked.kind === "tip" && asked.handle !== undefined ? `.${asked.handle.replace(/^@/, "")}` : ""
          const held = Redacted.make(`${Redacted.value(token)}${of}`)
          return cookieOf(session.sessionId).set(held)(seeOther(pathOf(session.sessionId)))
        }),
        Effect.catchTags({
          AlreadyPurchased: () => Effect.succeed(seeOther(readPath(asked.postId as PostId))),
          OwnTipTarget: () =>
            Effect.succeed(
              asked.kind === "purchase" ? seeOther(readPath(asked.postId)) : page(refusedCheckout.own, 409)
            ),
          PostIsFree: () => Effect.map(discovery.post(asked.postId as PostId), ({ url }) => seeOther(url)),
          PaymentsDisabled: () => Effect.succeed(page(refusedCheckout.off, 503)),
          TippingUnavailable: () => Effect.succeed(page(refusedCheckout.unpayable, 409)),
          Validation: ({ errors }) => Effect.succeed(page(wrongTip(errors[0]?.message ?? ""), 400)),
          // The key is new.
          IdempotencyConflict: Effect.die
        })
      )
    })

    const tip = Effect.gen(function* () {
      const form = yield* readForm
      yield* count("payment-session")
      const asked = tipOf(form)
      if (Option.isNone(asked)) return yield* new NotFound()
      return yield* begin(asked.value)
    })

    /** Begins to buy a Post, unless this browser has its text. */
    const buy = Effect.gen(function* () {
      yield* readForm
      yield* count("payment-session")
      const postId = yield* postIdOf
      if (yield* reading.hasText(yield* reading.asked(postId))) return seeOther(readPath(postId))
      return yield* begin({ kind: "purchase", postId })
    })

    /** Returns the id that the path names, and the proof of this browser that it began the payment. */
    const named = Effect.gen(function* () {
      const { sessionId } = yield* HttpRouter.params
      const id = decodeSessionId(sessionId)
      if (Option.isNone(id)) return yield* new NotFound()
      const request = yield* HttpServerRequest.HttpServerRequest
      const held = heldOf(cookieOf(id.value).read(request))
      return { id: id.value, held, holder: { ownerId: yield* reader, token: held?.token }, request }
    })

    const subjectOf = ({ target: { postId } }: PaymentSession, handle: string | null) => {
      const post =
        postId === null
          ? Effect.map(
              discovery.profileSummary(handle ?? ""),
              ({ author_kind, avatar_url, handle: its, name }) => ({
                title: name,
                url: `/@${its}`,
                author: { name, handle: its, avatarUrl: avatar_url, authorKind: author_kind }
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

    const paid = (session: PaymentSession) => {
      const postId = decodePostId(session.target.postId)
      if (session.state !== "paid" || session.kind !== "purchase" || Option.isNone(postId)) return undefined
      const on = seeOther(readPath(postId.value))
      if (session.receipt === null) return on
      return cookie(...receiptCookie(postId.value)).set(Redacted.make(session.receipt.token))(on)
    }

    const show = Effect.gen(function* () {
      yield* count("access")
      const { held, holder, id, request } = yield* named
      const asksToRefresh = request.url.endsWith(`?refresh=${REFRESH_SECONDS}`)
      const session = yield* sessions.read(id, holder, asksToRefresh ? 1 : 0)
      const on = paid(session)
      if (on !== undefined) return on
      const svg = yield* sessions.qr(id, holder)
      const handle = held?.handle ?? null
      const subject = yield* subjectOf(session, handle)
      const isRefreshing = asksToRefresh && isWaiting(session.state)
      return page(
        checkoutPage({
          path: pathOf(id),
          session,
          subject,
          handle,
          qr: trusted(svg),
          about: (yield* about)(xnoOfRaw(BigInt(session.baseAmountRaw))),
          isRefreshing,
          isAskedForName: session.state === "open" && (yield* isAskedForName),
          hasTestMoney: Option.isSome(book) && isLocalCaller(request)
        }),
        200,
        isRefreshing ? { refresh: String(REFRESH_SECONDS) } : {}
      )
    }).pipe(Effect.catchTag("SessionInvalid", () => Effect.succeed(page(refusedCheckout.otherBrowser, 403))))

    /** Waits for a change of the state that the page shows. */
    const status = Effect.gen(function* () {
      yield* count("access")
      const { holder, id } = yield* named
      const known = (yield* query).get("state")
      const now = yield* sessions.read(id, holder, 0)
      const session = now.state === known ? yield* sessions.read(id, holder, SESSION_WAIT_SECONDS_MAX) : now
      const next = isWaiting(session.state) ? null : pathOf(id)
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
        yield* readForm
        yield* count("access")
        const { holder, id } = yield* named
        yield* act(id, holder)
        return seeOther(pathOf(id))
      }).pipe(
        Effect.catchTag("SessionInvalid", () => Effect.succeed(page(refusedCheckout.otherBrowser, 403)))
      )

    const saySent = acting((id, holder) => sessions.saySent(id, holder, undefined))

    const cancel = acting(sessions.cancel)

    const payWithTestMoney = acting(
      Effect.fnUntraced(function* (id, holder) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { amountRaw, payTo, state } = yield* sessions.read(id, holder, 0)
        if (Option.isNone(book) || !isLocalCaller(request)) return yield* new NotFound()
        yield* count("development-faucet")
        if (state === "open")
          yield* Effect.orDie(book.value.faucet(publicKeyOfAddress(payTo), BigInt(amountRaw)))
      })
    )

    return Layer.mergeAll(
      HttpRouter.add("POST", "/pay", answering(tip)),
      HttpRouter.add("POST", "/read/:postId/buy", answering(buy)),
      HttpRouter.add("GET", "/pay/:sessionId", answering(show)),
      HttpRouter.add("GET", "/pay/:sessionId/status", answering(status)),
      HttpRouter.add("POST", "/pay/:sessionId/sent", answering(saySent)),
      HttpRouter.add("POST", "/pay/:sessionId/cancel", answering(cancel)),
      HttpRouter.add("POST", "/pay/:sessionId/test-money", answering(payWithTestMoney))
    )
  })
)
