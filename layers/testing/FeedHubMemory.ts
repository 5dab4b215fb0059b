import { Context, Effect, Layer, Ref } from "effect"
import { FeedHub, type HubRefused, type HubUnavailable } from "../../src/platform/ports/FeedHub.ts"

/** Controls the hub in a test, and shows the feeds that it was notified of. */
export class FeedHubMemory extends Context.Service<
  FeedHubMemory,
  {
    /** Returns the addresses of all accepted pings, oldest first. */
    readonly pings: Effect.Effect<ReadonlyArray<string>>
    /** Returns how often it was asked. */
    readonly asked: Effect.Effect<number>
    /** Makes the next `times` pings fail with this. */
    readonly failNext: (error: HubUnavailable | HubRefused, times: number) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/FeedHubMemory") {}

const make = Effect.gen(function* () {
  const pings = yield* Ref.make<ReadonlyArray<string>>([])
  const asked = yield* Ref.make(0)
  const failures = yield* Ref.make<ReadonlyArray<HubUnavailable | HubRefused>>([])

  const hub: FeedHub = {
    url: "https://hub.test/",
    ping: Effect.fnUntraced(function* (feedUrl) {
      yield* Ref.update(asked, (count) => count + 1)
      const failure = yield* Ref.modify(failures, ([first, ...others]) => [first, others])
      if (failure !== undefined) return yield* failure
      yield* Ref.update(pings, (all) => [...all, feedUrl])
    })
  }

  const control = FeedHubMemory.of({
    pings: Ref.get(pings),
    asked: Ref.get(asked),
    failNext: (error, times) =>
      Ref.update(failures, (others) => [...others, ...Array.from({ length: times }, () => error)])
  })
  return Context.make(FeedHub, hub).pipe(Context.add(FeedHubMemory, control))
})

/** A hub that keeps its pings, new for each build of the layer. */
export const layer = Layer.effectContext(make)
