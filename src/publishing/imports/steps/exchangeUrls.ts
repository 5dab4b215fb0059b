import { Effect } from "effect"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Offload } from "../../../platform/ports/Offload.ts"
import { costOf } from "../../content/parser/estimatedCost.ts"
import { withoutUrlsAsText } from "../../content/removal/markdownWithoutUrls.ts"
import { exchangeTasks } from "../conversion/exchangeTasks.ts"
import { type Exchange, withUrls } from "../conversion/withUrls.ts"

/** Estimated µs up to which a section is parsed in place. */
const QUICK_MICROS = 1000

/**
 * Makes the function that exchanges the addresses of a section: a short one at once, a longer one in a thread, in turn
 * between owners. A section that takes too long there loses the addresses as text.
 */
export const makeExchangeUrls = Effect.map(
  Offload,
  ({ run }) =>
    (owner: OwnerId, source: string, exchange: Exchange): Effect.Effect<string> => {
      if (source === "" || (exchange.pictures.size === 0 && exchange.links.size === 0))
        return Effect.succeed(source)
      if (costOf(source) <= QUICK_MICROS) return Effect.sync(() => withUrls(source, exchange))
      return Effect.catch(run(exchangeTasks.exchangeUrls, { source, exchange }, owner), () =>
        Effect.sync(() => withoutUrlsAsText(source, [...exchange.pictures.keys(), ...exchange.links.keys()]))
      )
    }
)
