import { Effect } from "effect"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { tipPage } from "./tipPage.ts"
import { makeTipTargetOf } from "./tipTargetOf.ts"

/**
 * Makes the function that returns the page on which a reader chooses a tip, by the parameters of its address: `post`,
 * `comment` or `handle`. After a refusal, the page shows the amount with the reason.
 */
export const makeTipPageOf = Effect.gen(function* () {
  const discovery = yield* Discovery
  const targetOf = yield* makeTipTargetOf

  return Effect.fnUntraced(function* (
    query: URLSearchParams,
    refused?: { readonly amount: string; readonly sentence: string }
  ) {
    const { handle, of } = yield* targetOf(query)
    const { handle: its, name, tipping } = yield* discovery.profileSummary(handle)
    return tipPage({ name, handle: its, label: tipping.button_label, amounts: tipping.amounts, of, refused })
  })
})
