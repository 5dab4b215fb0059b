import { Context, Effect, Schema } from "effect"

/** The hub has not heard of the change: it did not answer in time, or asks for a retry. */
export class HubUnavailable extends Schema.TaggedError<HubUnavailable>()("HubUnavailable", {
  reason: Schema.Literals(["unreachable", "timeout", "deferred"])
}) {}

/** The hub does not want this feed. It would refuse it again. */
export class HubRefused extends Schema.TaggedError<HubRefused>()("HubRefused", { status: Schema.Int }) {}

export interface FeedHub {
  /** The address of the hub, which feeds name; undefined without a hub. */
  readonly url: string | undefined
  /** Tells the hub that the feed at this address has changed. */
  readonly ping: (feedUrl: string) => Effect.Effect<void, HubUnavailable | HubRefused>
}

/**
 * A WebSub hub: it fetches a feed when the feed changes, and sends it to those who follow it. A service that receives none
 * has no hub, and readers of feeds look for changes themselves.
 */
export const FeedHub = Context.Reference<FeedHub>("pennypress/platform/ports/FeedHub", {
  defaultValue: () => ({ url: undefined, ping: () => Effect.void })
})
