import { Deferred, Effect, Redacted } from "effect"
import { RateLimiter, Redis } from "effect/persistence"
import { createClient } from "redis"

/** Precedes the names of our keys, as others may use the same server. */
const PREFIX = "pennypress:limit:"

/** Time to connect and to be greeted. A server that hangs accepts connections and sends no greeting. */
const CONNECT_PATIENCE = "1 second"

/** A connection to Redis, until it is lost. */
export interface RedisConnection {
  readonly store: RateLimiter.RateLimiterStore["Service"]
  /** Fails when the connection is lost or given up. */
  readonly lost: Effect.Effect<never, Redis.RedisError>
  /** Gives the connection up for this reason. */
  readonly giveUp: (reason: string) => Effect.Effect<void>
}

const failed = (cause: unknown) => new Redis.RedisError({ cause })

const unused = Effect.die(new Error("Limits need neither subscriptions nor connections of their own"))

/**
 * Connects, and disconnects with the scope. A lost connection stays lost; the caller makes another. Unlike `NodeRedis`
 * it does not wait for answers when it closes, as a server that hangs sends none.
 */
export const connectRedis = Effect.fn("connectRedis")(function* (url: Redacted.Redacted) {
  const lost = yield* Deferred.make<never, Redis.RedisError>()
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createClient({
        url: Redacted.value(url),
        disableOfflineQueue: true,
        socket: { reconnectStrategy: false }
      }).on("error", (cause) => Deferred.doneUnsafe(lost, Effect.fail(failed(cause))))
    ),
    (client) => Effect.sync(() => client.destroy())
  )
  yield* Effect.tryPromise({ try: () => client.connect(), catch: failed }).pipe(
    Effect.timeoutOrElse({
      duration: CONNECT_PATIENCE,
      orElse: () => Effect.fail(failed(new Error("the server does not greet")))
    })
  )
  const redis = yield* Redis.make({
    send: <A>(command: string, ...args: ReadonlyArray<string>) =>
      Effect.tryPromise({
        try: () => client.sendCommand([command, ...args]) as Promise<unknown> as Promise<A>,
        catch: failed
      }),
    subscribe: () => unused,
    connect: unused
  })
  const store = yield* RateLimiter.makeStoreRedis({ prefix: PREFIX }).pipe(
    Effect.provideService(Redis.Redis, redis)
  )
  return {
    store,
    lost: Deferred.await(lost),
    giveUp: (reason) => Effect.asVoid(Deferred.fail(lost, failed(new Error(reason))))
  } satisfies RedisConnection
})
