import { Effect } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { makePayFor } from "../paying/payFor.ts"
import { changed } from "../paying/Sale.ts"
import type { Payment } from "../x402/readPayment.ts"
import { type TipTarget, TipTargets } from "./TipTargets.ts"

/** A payment of a tip, by an account or a wallet alone. */
interface TipOrder {
  readonly target: TipTarget
  readonly amountRaw: bigint
  readonly payment: Payment
  readonly payerId: OwnerId | null
  /** The URL of the tips of the target. */
  readonly url: string
  /** The address by which payments are limited. */
  readonly client: string
}

/**
 * Makes the payment of a tip. An account may tip as often as it likes: only an identical tip of one wallet that is still
 * settling is the same tip. A repeat gets the same one, even if its target is gone.
 */
export const makePayTip = Effect.gen(function* () {
  const { payFor } = yield* makePayFor
  const targets = yield* TipTargets

  return ({ amountRaw, client, payerId, payment, target, url }: TipOrder) =>
    payFor({
      sale: {
        target,
        urls: [url],
        pendingOfOwner: null,
        isSold: (quote) =>
          Effect.andThen(
            targets.check(target, payerId),
            quote.amountRaw === amountRaw ? Effect.void : Effect.fail(changed)
          ),
        isReady: Effect.void,
        withdrawn: () => new NotFound()
      },
      payment,
      buyerId: payerId,
      client
    })
})
