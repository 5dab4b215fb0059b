import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import type {
  AlreadyPurchased,
  OwnTipTarget,
  PostIsFree,
  TippingUnavailable
} from "../../../schemas/payments/sessions/errors.ts"
import { SessionInvalid } from "../../../schemas/payments/sessions/errors.ts"
import type {
  PaymentSession,
  PaymentSessionDraft
} from "../../../schemas/payments/sessions/PaymentSession.ts"
import { PaymentsDisabled } from "../../../schemas/payments/x402/errors.ts"
import { IdempotencyConflict, NotFound, type Validation } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, PaymentSessionId, type PostId } from "../../../schemas/platform/Ids.ts"
import { type NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { isSameFingerprint } from "../../platform/idempotency/fingerprint.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Readiness } from "../../platform/ports/Readiness.ts"
import { base62 } from "../../platform/secrets/base62.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { later, now } from "../../platform/time/now.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import { browserKeyOf, browserReceiptOf, type BrowserSecret, browserTokenOf } from "./browserSecret.ts"
import { LATE_MILLIS, lookSeconds, OPEN_MILLIS } from "./cadence.ts"
import { paymentSessionStatements } from "./paymentSessions.sql.ts"
import { qrSvgOf } from "./qr.ts"
import { sessionOf } from "./sessionAnswer.ts"
import type { SessionRow } from "./sessionRow.ts"
import { checkedIntent, makeSessionTarget, type SessionIntent } from "./sessionTarget.ts"
import { TAG_MAX, TAG_MIN, taggedAmount } from "./tags.ts"
import { Watching } from "./Watching.ts"

/**
 * Number of tries to save a session. For each live session, a tag is taken with a probability of 1 in 10^9; and the Post may
 * change at the very moment.
 */
const TRIES = 50

/** Time between two looks at the session of a request that waits. */
const WAIT_STEP_MILLIS = 1_000

/** The least time between two notes that the holder of a session waits. */
const WAIT_NOTE_MILLIS = 5_000

/** Proof that a caller holds a session: its token, or the account that made it. */
export interface SessionHolder {
  readonly ownerId: OwnerId | null
  readonly token: Redacted.Redacted | undefined
}

/** A refusal of a new session. */
type SessionRefusal =
  | AlreadyPurchased
  | NotFound
  | OwnTipTarget
  | PaymentsDisabled
  | PostIsFree
  | TippingUnavailable
  | Validation

/** A saved session with its token; `replayed` when an earlier request with the same key saved it. */
export interface SavedSession {
  readonly session: PaymentSession
  readonly token: Redacted.Redacted
  readonly replayed: boolean
}

/** A session that waits for a payment in a browser; not new when an earlier press opened it. */
interface OpenedSession {
  readonly id: PaymentSessionId
  readonly isNew: boolean
}

/** The name of a creation: one for each owner and key, and one for each anonymous key. */
const named = (buyer: OwnerId | null, key: string) => `payment-session/1/${buyer ?? "anonymous"}/${key}`

/** SHA-256 of the name of a creation. The key itself is a secret, and is not stored. */
const keyHashOf = (buyer: OwnerId | null, key: string): Uint8Array => sha256(utf8ToBytes(named(buyer, key)))

/**
 * Returns the token of a session: `pps_` and 43 base62 digits of an HMAC-SHA-256 under the Idempotency-Key. It is
 * derived, so that a repeat of the creation shows it again although only its hash is stored.
 */
const sessionTokenOf = (buyer: OwnerId | null, key: string): Redacted.Redacted =>
  Redacted.make(`pps_${base62(hmac(sha256, utf8ToBytes(key), utf8ToBytes(`${named(buyer, key)}/token`)))}`)

/** Payment sessions: checkouts that any Nano wallet pays, for a Post or as a tip. */
export class PaymentSessions extends Context.Service<
  PaymentSessions,
  {
    /** Makes a session once for each key of a buyer. A repeat returns it, with the same token. */
    readonly create: (
      buyer: OwnerId | null,
      draft: PaymentSessionDraft,
      idempotencyKey: string
    ) => Effect.Effect<SavedSession, SessionRefusal | IdempotencyConflict>
    /**
     * Opens a session in a browser, and returns its id, and whether it is new. The one that waits for the payment of the same
     * Post is opened again, as long as its price holds. It becomes that of the buyer.
     */
    readonly open: (
      browser: BrowserSecret,
      buyer: OwnerId | null,
      draft: PaymentSessionDraft
    ) => Effect.Effect<OpenedSession, SessionRefusal>
    /** Returns a session for its holder, after a change of its state or after this many seconds. */
    readonly read: (
      id: PaymentSessionId,
      holder: SessionHolder,
      waitSeconds: number
    ) => Effect.Effect<PaymentSession, NotFound | SessionInvalid>
    /**
     * Takes the holder's word that the payment was sent, by this address if they know it. For as long as they wait, an
     * amount without the tag pays the session, too. Looks at the ledger now.
     */
    readonly saySent: (
      id: PaymentSessionId,
      holder: SessionHolder,
      payer: NanoAddress | undefined
    ) => Effect.Effect<PaymentSession, NotFound | SessionInvalid>
    /** Cancels an open session. Other sessions stay unchanged, because a payment may be on its way. */
    readonly cancel: (
      id: PaymentSessionId,
      holder: SessionHolder
    ) => Effect.Effect<PaymentSession, NotFound | SessionInvalid>
    /** Draws the payment of a session as a QR code in SVG. */
    readonly qr: (
      id: PaymentSessionId,
      holder: SessionHolder
    ) => Effect.Effect<string, NotFound | SessionInvalid>
  }
>()("pennypress/payments/sessions/PaymentSessions") {
  static readonly layer = Layer.effect(
    PaymentSessions,
    Effect.gen(function* () {
      const repo = yield* paymentSessionStatements
      const watching = yield* Watching
      const { isStopping } = yield* Readiness
      const ledger = yield* NanoLedger
      const random = yield* SecureRandom.SecureRandom
      const { fingerprintOf } = yield* Idempotency
      const targetOf = yield* makeSessionTarget
      const { network } = ledger

      const shown = (row: SessionRow, token: Redacted.Redacted | undefined) =>
        Effect.map(now, (at) => sessionOf(row, { at, network, token }))

      const replayOf = Effect.fnUntraced(function* (
        keyHash: Uint8Array,
        intent: Uint8Array,
        token: Redacted.Redacted
      ) {
        const earlier = yield* repo.ofKey(keyHash)
        if (Option.isNone(earlier)) return undefined
        if (!isSameFingerprint(intent, earlier.value.intent)) return yield* new IdempotencyConflict()
        return { session: yield* shown(earlier.value, token), token, replayed: true }
      })

      /** Returns what a draft asks for, unless nothing can be paid. */
      const intended = (draft: PaymentSessionDraft) =>
        Effect.andThen(ledger.kind === "off" ? new PaymentsDisabled() : Effect.void, checkedIntent(draft))

      /** Makes a session once for each key of a buyer: with the secrets of a browser, or else with those of its key. */
      const make = Effect.fnUntraced(function* (
        buyer: OwnerId | null,
        asked: SessionIntent,
        key: string,
        browser?: BrowserSecret
      ): Effect.fn.Return<SavedSession, SessionRefusal | IdempotencyConflict> {
        const intent = yield* fingerprintOf(
          asked.kind === "tip" ? { ...asked, amountRaw: asked.amountRaw.toString() } : asked
        )
        const keyHash = keyHashOf(buyer, key)
        const id = PaymentSessionId.make(yield* random.uuidV7())
        const token = browser === undefined ? sessionTokenOf(buyer, key) : browserTokenOf(browser, id)
        const earlier = yield* replayOf(keyHash, intent, token)
        if (earlier !== undefined) return earlier

        const receiptHashOf = (postId: PostId) =>
          (browser === undefined ? receiptTokenOf(token) : browserReceiptOf(browser, postId)).tokenHash
        const at = yield* now
        const expiresAt = later(at, OPEN_MILLIS)
        const session = {
          id,
          buyerId: buyer,
          keyHash,
          intent,
          tokenHash: hashOf(token),
          // An account reads its purchases without a receipt.
          receiptHash: buyer === null && asked.kind === "purchase" ? receiptHashOf(asked.postId) : null,
          at,
          expiresAt,
          lateUntil: later(expiresAt, LATE_MILLIS)
        }
        const firstLook = lookSeconds({ createdAt: at, expiresAt }, at)
        const watch = { id: yield* random.uuidV7(), dueAt: later(at, firstLook * 1_000) }

        for (let tries = 0; tries < TRIES; tries++) {
          // Reads again what has changed since the last try.
          const { payee, ...target } = yield* targetOf(asked, buyer)
          const tag = yield* random.intBetween(TAG_MIN, TAG_MAX)
          const saved = yield* repo.insert(
            {
              ...session,
              ...target,
              payToKey: publicKeyOfAddress(payee.address),
              payoutRevision: payee.revision,
              amountRaw: taggedAmount(target.baseRaw, tag)
            },
            watch
          )
          if (saved === "gone") return yield* new NotFound()
          if (saved === "saved") break
          const meanwhile = yield* replayOf(keyHash, intent, token)
          if (meanwhile !== undefined) return meanwhile
        }
        const made = yield* repo.find(session.id)
        if (Option.isNone(made))
          return yield* Effect.die(new Error("No tag is free for the amount of a payment session"))
        return { session: yield* shown(made.value, token), token, replayed: false }
      })

      const create = Effect.fn("PaymentSessions.create")(function* (
        buyer: OwnerId | null,
        draft: PaymentSessionDraft,
        idempotencyKey: string
      ) {
        return yield* make(buyer, yield* intended(draft), idempotencyKey.toLowerCase())
      })

      /** Returns the session of a Post that waits for this payer, or the key of the next one. */
      const openOrNext = Effect.fnUntraced(function* (
        browser: BrowserSecret,
        buyerId: OwnerId | null,
        asked: SessionIntent & { readonly kind: "purchase" }
      ) {
        const { postId } = asked
        const { baseRaw } = yield* targetOf(asked, buyerId)
        const payer = { postId, buyerId, receiptHash: browserReceiptOf(browser, postId).tokenHash }
        const { made, open_id } = yield* repo.ofPayer(payer, baseRaw, yield* now)
        if (open_id !== null && buyerId !== null) yield* repo.adopt(open_id, buyerId)
        return { openId: open_id, key: browserKeyOf(browser, postId, made) }
      })

      const open = Effect.fn("PaymentSessions.open")(function* (
        browser: BrowserSecret,
        buyer: OwnerId | null,
        draft: PaymentSessionDraft
      ): Effect.fn.Return<OpenedSession, SessionRefusal> {
        const asked = yield* intended(draft)
        const { key, openId } =
          asked.kind === "purchase"
            ? yield* openOrNext(browser, buyer, asked)
            : { openId: null, key: yield* random.uuidV4() }
        if (openId !== null) return { id: openId, isNew: false }
        // The key is of this draft alone.
        const made = Effect.catchTag(make(buyer, asked, key, browser), "IdempotencyConflict", Effect.die)
        const { replayed, session } = yield* made
        return { id: session.sessionId, isNew: !replayed }
      })

      const held = Effect.fnUntraced(function* (id: PaymentSessionId, { ownerId, token }: SessionHolder) {
        const found = yield* repo.find(id)
        if (Option.isNone(found)) return yield* new NotFound()
        const { buyer_id, token_hash } = found.value
        const isToken = token !== undefined && Mac.timingSafeEqual(hashOf(token), token_hash)
        const isBuyer = ownerId !== null && ownerId === buyer_id
        if (!isToken && !isBuyer) return yield* new SessionInvalid()
        return { row: found.value, token: isToken ? token : undefined }
      })

      const read = Effect.fn("PaymentSessions.read")(function* (
        id: PaymentSessionId,
        holder: SessionHolder,
        waitSeconds: number
      ) {
        const { row, token } = yield* held(id, holder)
        const at = yield* now
        const until = later(at, waitSeconds * 1_000)
        if (
          waitSeconds > 0 &&
          (row.waited_until === null || row.waited_until < later(until, -WAIT_NOTE_MILLIS))
        )
          yield* repo.wait(id, until)
        const first = yield* shown(row, token)
        let session = first
        while (session.state === first.state && session.retryAfterSeconds > 0) {
          const leftMillis = until.getTime() - (yield* now).getTime()
          if (leftMillis <= 0 || (yield* isStopping)) break
          yield* watching.askForLook(row.pay_to_key)
          yield* Effect.sleep(Math.min(leftMillis, WAIT_STEP_MILLIS))
          const found = yield* repo.find(id)
          if (Option.isSome(found)) session = yield* shown(found.value, token)
        }
        return session
      })

      return PaymentSessions.of({
        create,
        open,
        read,
        saySent: Effect.fn("PaymentSessions.saySent")(function* (id, holder, payer) {
          const { row } = yield* held(id, holder)
          yield* repo.saySent(id, payer === undefined ? null : publicKeyOfAddress(payer), yield* now)
          yield* watching.askForLook(row.pay_to_key)
          return yield* read(id, holder, 0)
        }),
        cancel: Effect.fn("PaymentSessions.cancel")(function* (id, holder) {
          yield* held(id, holder)
          yield* repo.cancel(id, yield* now)
          return yield* read(id, holder, 0)
        }),
        qr: Effect.fn("PaymentSessions.qr")(function* (id, holder) {
          const { row } = yield* held(id, holder)
          return qrSvgOf((yield* shown(row, undefined)).uri)
        })
      })
    })
  )
}
