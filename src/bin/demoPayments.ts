import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import type { PaymentSession } from "../../schemas/payments/sessions/PaymentSession.ts"
import { PaymentRequired } from "../../schemas/payments/x402/errors.ts"
import type { PostId } from "../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../schemas/platform/Nano.ts"
import type { ApiClient } from "../client/PennypressClient.ts"
import { type makeDemoWallet, wireBlock } from "./demoWallet.ts"

interface Payer {
  readonly anybody: ApiClient
  readonly wallet: Effect.Success<ReturnType<typeof makeDemoWallet>>
  readonly postId: PostId
  readonly print: (line: string) => Effect.Effect<void>
}

/**
 * Buys a Post as agents do: asks for it, signs what the 402 asks for, and asks again with the payment. Returns the receipt.
 */
export const buy = Effect.fnUntraced(function* ({ anybody, postId, print, wallet }: Payer) {
  yield* print("\n# It asks for the Post and gets the price")
  const request = { params: { postId }, query: {} }
  const required = yield* Effect.flip(anybody.access.read({ ...request, headers: {} }))
  if (!(required instanceof PaymentRequired)) return yield* Effect.die(required)
  const { accepts, resource } = required.terms
  const [accepted] = accepts
  const block = yield* wallet.send(NanoAddress.make(accepted.payTo), BigInt(accepted.amount))
  const payment = { x402Version: 2, resource, accepted, payload: { block: wireBlock(block) } }

  yield* print("\n# It signs a block, sends it to the service instead of the ledger, and reads")
  const header = Base64.encode(new TextEncoder().encode(JSON.stringify(payment)))
  const { receipt } = yield* anybody.access.read({ ...request, headers: { "payment-signature": header } })

  yield* print("\n# The receipt reads the Post again, forever")
  const token = receipt?.token ?? ""
  yield* anybody.access.read({ ...request, headers: { "x-purchase-receipt": token } })
  return Redacted.make(token)
})

/** Tips the author of a Post as wallets without x402 do: by sending an amount to an address. */
export const tip = Effect.fnUntraced(function* ({ anybody, postId, print, wallet }: Payer) {
  const random = yield* SecureRandom.SecureRandom
  yield* print("\n# It tips the author: a payment session says which amount to send where, and has a QR code")
  const { amountRaw, payTo, sessionId, token } = yield* anybody.paymentSessions.create({
    headers: { "idempotency-key": yield* random.uuidV4() },
    payload: { kind: "tip", amountXno: "0.01", postId }
  })

  yield* print("\n# It sends that amount on the ledger, and the session sees it")
  const block = yield* wallet.send(payTo, BigInt(amountRaw))
  yield* wallet.publish(block)
  const request = { params: { sessionId }, query: { wait: 20 }, headers: { "x-session-token": token } }
  const looks = { times: 5, until: ({ state }: PaymentSession) => state === "paid" }
  const { state } = yield* Effect.repeat(anybody.paymentSessions.read(request), looks)
  if (state !== "paid") return yield* Effect.die(`The tip was sent, and its session is ${state}`)
})
