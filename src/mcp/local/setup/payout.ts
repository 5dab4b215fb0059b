import { Effect } from "effect"
import type { NanoAddress } from "../../../../schemas/platform/Nano.ts"
import { repeatable } from "../service/retries.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"

/**
 * Makes the step that lets sales of the identity pay an address. One that a person named takes the place of an earlier
 * one; any other leaves it.
 */
export const makePayout = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi

  return (account: NanoAddress, isChosen: boolean) =>
    sessions.asOwner(
      Effect.gen(function* () {
        const { payoutAddress, revision } = yield* client.payoutAddress.read()
        if (payoutAddress === account || (revision !== 0 && !isChosen)) return
        yield* repeatable(client.payoutAddress.save({ payload: { payoutAddress: account, revision } })).pipe(
          Effect.catchTag("RevisionConflict", (conflict) =>
            // The address from a lost answer, or one that the owner chose meanwhile.
            Effect.flatMap(client.payoutAddress.read(), (now) =>
              now.payoutAddress === account || !isChosen ? Effect.void : Effect.fail(conflict)
            )
          )
        )
      })
    )
})
