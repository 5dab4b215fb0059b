import { Context, Effect, Schema } from "effect"

/** The hub was not notified: it did not answer in time, or asks for a retry. */
export class HubUnavailable extends Schema.TaggedError<HubUnavailable>()("HubUnavailable", {
  reason: Schema.Literals(["unreachable", "timeout", "deferred"])
}) {}

/** The hub refuses this feed, and would refuse it again. */
export class HubRefused extends Schema.TaggedError<HubRefused>()("HubRefused", { status: Schema.Int }) {}

export interface FeedHub {
  /** The address of the hub, which feeds name; undefined without a hub. */
  readonly url: string | undefined
  /** Notifies the hub that the feed at this address has changed. */
  readonly ping: (feedUrl: string) => Effect.Effect<void, HubUnavailable | HubRefused>
}

/**
 * A WebSub hub: it fetches a feed when the feed changes, and delivers it to subscribers. The default is no
 * hub: feed readers then poll for changes.
 */
export const FeedHub = Context.Reference<FeedHub>("pennypress/platform/ports/FeedHub", {
  defaultValue: () => ({ url: undefined, ping: () => Effect.void })
})
