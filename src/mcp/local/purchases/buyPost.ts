import { Effect, Redacted, Schema } from "effect"
import { HttpClientError } from "effect/http"
import type { BoughtPost, BuyArguments } from "../../../../schemas/mcp/local/purchaseTools.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { PaymentTerms } from "../../../../schemas/payments/x402/PaymentRequired.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { NanoAddress, xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import { BlockWork } from "../../../../schemas/platform/NanoBlock.ts"
import { workRoot } from "../../../platform/nano/blocks.ts"
import { failureOf, isRefusal, toFailure } from "../failures/apiFailures.ts"
import { failureOfCode, marked } from "../failures/marked.ts"
import type { Marker } from "../failures/markers.ts"
import { type Asked, makeOperation } from "../intents/Operation.ts"
import { NanoProvider } from "../ports/NanoProvider.ts"
import { StateStore } from "../ports/StateStore.ts"
import { isLoopback } from "../service/Origin.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readCredential } from "../state/credentials.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { readMeta } from "../state/meta.sql.ts"
import {
  dispatchPurchase,
  endPurchase,
  insertPurchase,
  readPurchase,
  saveReceipt
} from "../state/purchases.sql.ts"
import { endReservation } from "../state/reservations.sql.ts"
import { sendBlock } from "../wallet/blocks.ts"
import { checkFrontier } from "../wallet/frontier.ts"
import { makeWallet } from "../wallet/makeWallet.ts"
import { paymentOf } from "./payment.ts"
import { checkReserved, reserve } from "./spending.ts"

const MAINNET = "nano:mainnet"

/** The network of ledgers for development, whose money has no value. */
const DEVELOPMENT = "nano:dev"

/** Checks that terms ask for this amount for this Post on this origin, on a network that a wallet may pay on. */
const checkTerms = (
  { accepts: [offer], resource }: PaymentTerms,
  wanted: { readonly origin: string; readonly postId: string; readonly amountRaw: bigint }
): Effect.Effect<void, ToolFailure> => {
  const isFor =
    resource.url === `${wanted.origin}/api/posts/${wanted.postId}/access` &&
    BigInt(offer.amount) === wanted.amountRaw
  if (!isFor) return Effect.fail(marked("price-changed"))
  const isPayable = offer.network === MAINNET || (offer.network === DEVELOPMENT && isLoopback(wanted.origin))
  return isPayable ? Effect.void : Effect.fail(marked("wallet-cannot-sign"))
}

type Args = Omit<BuyArguments, "intent_id">

/** The Post and its price, as a purchase is authorized. */
interface Look {
  readonly priceRaw: string | null
}

/** The amount that is held. Quotes are secrets, so they are not saved here. */
interface Held {
  readonly amountRaw: string
}

/** Sent in place of work that the service generates. */
const NO_WORK = BlockWork.make("0".repeat(16))

/** The refusal of a block that the ledger has: its amount is spent, even if it paid for something else. */
const ON_LEDGER = "block-already-exists"

/** Refusals of the service about the wallet, which have a next step of their own. */
const OF_WALLET: Readonly<Record<string, Marker>> = {
  account_not_found: "wallet-not-opened",
  insufficient_funds: "wallet-unfunded"
}

const failureOfRefusal = (code: string) => failureOfCode(OF_WALLET[code] ?? code.replaceAll("_", "-"))

/** Makes the purchase of a Post, as an operation that survives a crash (spec 4.8). */
export const makeBuyPost = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const provider = yield* NanoProvider
  const wallet = yield* makeWallet
  const { client, origin } = yield* ServiceApi

  const request = (postId: string, payment: Redacted.Redacted | null) =>
    client.access.read({
      params: { postId: PostId.make(postId) },
      query: {},
      headers: payment === null ? {} : { "payment-signature": Redacted.value(payment) }
    })

  /** Returns the terms of a Post; undefined when nothing has to be paid. */
  const termsOf = (postId: string): Effect.Effect<PaymentTerms | undefined, ToolFailure> =>
    sessions.asOwner(
      request(postId, null).pipe(
        Effect.as(undefined),
        Effect.catchTag("PaymentRequired", ({ terms }) => Effect.succeed(terms))
      )
    )

  /** Signs the payment of the current terms on the head of the wallet, which receives what it needs for it. */
  const signed = Effect.fnUntraced(function* (terms: PaymentTerms, postId: string, amountRaw: bigint) {
    yield* checkTerms(terms, { origin, postId, amountRaw })
    const own = yield* wallet.own
    const head = yield* wallet.covering(own, amountRaw)
    const [{ extra, payTo }] = terms.accepts
    const block = sendBlock(own, head, NanoAddress.make(payTo), amountRaw)
    const work =
      extra.work === "optional"
        ? NO_WORK
        : yield* provider.work(workRoot(block), BigInt(`0x${extra.workThreshold}`), true)
    return paymentOf(own, terms, block, work)
  })

  /**
   * Sends the saved payment, byte for byte, and saves the receipt of the answer. A refusal of the service says that nothing
   * was sent to the ledger; any other answer, such as that of a proxy, says nothing.
   */
  const paid = Effect.fnUntraced(function* ({ args, intent: { id: intentId } }: Asked<Args, Held>) {
    const postId = args.post_id.toLowerCase()
    const purchase = yield* store.read((tx) => Effect.succeed(readPurchase(tx, intentId)))
    const answer = yield* sessions.asOwner(
      request(postId, purchase?.payment ?? null).pipe(
        Effect.catchTags({
          PaymentRequired: ({ terms }) => Effect.fail(failureOfRefusal(terms.error)),
          PostWithdrawn: () => Effect.fail(failureOfCode("post-withdrawn")),
          SettlementPending: ({ retryAfterSeconds }) =>
            Effect.fail(marked("outcome-unknown", { retryAfterSeconds })),
          PaymentsDisabled: () => Effect.fail(marked("service-unavailable"))
        }),
        Effect.mapError((error) => {
          const isOfContract = !HttpClientError.isHttpClientError(error) && !Schema.isSchemaError(error)
          return isOfContract || !isRefusal(failureOf(error)) ? error : marked("outcome-unknown")
        })
      )
    )
    const { receipt } = answer
    if (receipt !== null) {
      yield* store.write((tx) => Effect.sync(() => saveReceipt(tx, intentId, Redacted.make(receipt.token))))
    }
    const { charged } = answer.access
    const amountRaw = charged ? (purchase?.amountRaw ?? 0n) : 0n
    return {
      purchase: {
        postId,
        amountRaw: amountRaw.toString(),
        amountXno: xnoOfRaw(amountRaw),
        charged,
        transaction: charged ? (answer.settlement?.transaction ?? purchase?.transaction ?? null) : null,
        receiptSaved: receipt !== null
      }
    } satisfies BoughtPost
  })

  return makeOperation<Args, BoughtPost, Held, Look>({
    tool: "svc_buy_post",

    look: ({ post_id: postId }) =>
      toFailure(client.discovery.post({ params: { postId: PostId.make(postId.toLowerCase()) } })).pipe(
        Effect.map(({ enablePaywall, priceRaw }) => ({ priceRaw: enablePaywall ? priceRaw : null }))
      ),

    authorize: (tx, { args, id, look }) =>
      Effect.gen(function* () {
        const identity = readIdentity(tx)
        if (identity === undefined) return yield* marked("identity-not-selected")
        if (identity.method !== "local-nano" || readCredential(tx, "wallet-seed") === undefined) {
          return yield* marked("wallet-cannot-sign")
        }
        if (readMeta(tx, "nano-rpc") === undefined) return yield* marked("nano-provider-not-configured")
        if (look.priceRaw !== args.expected_price_raw) return yield* marked("price-changed")
        const { ownerId } = identity
        const amountRaw = BigInt(args.expected_price_raw)
        yield* reserve(tx, { intentId: id, origin, ownerId, amountRaw })
        insertPurchase(tx, { intentId: id, postId: args.post_id.toLowerCase(), ownerId, amountRaw })
        return { amountRaw: args.expected_price_raw }
      }),

    prepare: ({ args, request: { amountRaw } }) =>
      Effect.gen(function* () {
        const postId = args.post_id.toLowerCase()
        const terms = yield* termsOf(postId)
        return terms === undefined ? null : yield* signed(terms, postId, BigInt(amountRaw))
      }),

    dispatch: (tx, { intent, request: { amountRaw } }, prepared) =>
      Effect.gen(function* () {
        const payment = prepared as Effect.Success<ReturnType<typeof signed>> | null
        yield* checkReserved(tx, intent.id, BigInt(amountRaw))
        if (payment !== null) yield* checkFrontier(tx, payment.frontier)
        dispatchPurchase(tx, intent.id, payment)
      }),

    send: paid,

    settle: (tx, { intent }, outcome) =>
      Effect.sync(() => {
        const isPaid =
          "result" in outcome ? outcome.result.purchase.charged : outcome.refusal.code === ON_LEDGER
        endReservation(tx, intent.id, isPaid ? "spent" : "released")
        endPurchase(tx, intent.id, isPaid ? "settled" : "result" in outcome ? "owned" : "refused")
      })
  })
})
