import { Context, Effect, Layer, Ref } from "effect"
import {
  type OutsideAnswer,
  OutsideFailure,
  OutsideHttp,
  type OutsidePost,
  type PostAnswer,
  type PostRefusal
} from "../../src/platform/ports/OutsideHttp.ts"
import { NO_TARGETS, postTargetOf } from "../outside-http/target.ts"

/** A server that takes messages: its answer, or an effect that answers. An answer without a status is a 200. */
export type Receiver =
  | Partial<PostAnswer>
  | OutsideFailure
  | ((message: OutsidePost) => Effect.Effect<Partial<PostAnswer>, OutsideFailure>)

/** The public internet of a test. */
export class OutsideHttpMemory extends Context.Service<
  OutsideHttpMemory,
  {
    /** Sets the answer of a URL. All others are of servers that cannot be reached. */
    readonly answer: (
      url: string,
      answer: Uint8Array | Partial<OutsideAnswer> | OutsideFailure
    ) => Effect.Effect<void>
    /** Returns the URLs of all requests, oldest first. */
    readonly asked: Effect.Effect<ReadonlyArray<string>>
    /** Sets the receiver of the messages to a URL. Servers without one take everything with a 200. */
    readonly receive: (url: string, receiver: Receiver) => Effect.Effect<void>
    /** Returns all messages to a URL, oldest first. */
    readonly posted: (url: string) => Effect.Effect<ReadonlyArray<OutsidePost>>
    /** Refuses new URLs for messages at this host, as one without a public address. */
    readonly hide: (hostname: string) => Effect.Effect<void>
  }
>()("pennypress/layers/testing/OutsideHttpMemory") {}

const make = Effect.gen(function* () {
  const answers = yield* Ref.make<ReadonlyMap<string, OutsideAnswer | OutsideFailure>>(new Map())
  const asked = yield* Ref.make<ReadonlyArray<string>>([])

  const receivers = yield* Ref.make<ReadonlyMap<string, Receiver>>(new Map())
  const messages = yield* Ref.make<ReadonlyArray<OutsidePost>>([])
  const hidden = yield* Ref.make<ReadonlySet<string>>(new Set())

  const outside = OutsideHttp.of({
    post: Effect.fnUntraced(
      function* (message) {
        yield* Ref.update(messages, (all) => [...all, message])
        const receiver = (yield* Ref.get(receivers)).get(message.url) ?? {}
        if (receiver instanceof OutsideFailure) return yield* receiver
        const answer = typeof receiver === "function" ? yield* receiver(message) : receiver
        return { status: 200, retryAfter: undefined, response: new Uint8Array(), ...answer }
      },
      (effect, { timeoutMillis }) =>
        Effect.timeoutOrElse(effect, {
          duration: timeoutMillis,
          orElse: () => Effect.fail(new OutsideFailure({ reason: "timeout" }))
        })
    ),
    checkPost: Effect.fnUntraced(function* (url): Effect.fn.Return<PostRefusal | undefined> {
      const target = postTargetOf(url, NO_TARGETS)
      if (typeof target === "string") return target
      return (yield* Ref.get(hidden)).has(target.url.hostname) ? "address_not_public" : undefined
    }),
    get: Effect.fnUntraced(function* ({ maxBytes, url }) {
      yield* Ref.update(asked, (all) => [...all, url])
      const answer = (yield* Ref.get(answers)).get(url) ?? new OutsideFailure({ reason: "connection" })
      if (answer instanceof OutsideFailure) return yield* answer
      if (answer.body.length > maxBytes) return yield* new OutsideFailure({ reason: "too_large" })
      return answer
    })
  })

  const control = OutsideHttpMemory.of({
    answer: (url, answer) =>
      Ref.update(answers, (all) =>
        new Map(all).set(
          url,
          answer instanceof OutsideFailure
            ? answer
            : {
                status: 200,
                retryAfter: undefined,
                body: new Uint8Array(),
                ...(answer instanceof Uint8Array ? { body: answer } : answer)
              }
        )
      ),
    asked: Ref.get(asked),
    receive: (url, receiver) => Ref.update(receivers, (all) => new Map(all).set(url, receiver)),
    posted: (url) => Effect.map(Ref.get(messages), (all) => all.filter((message) => message.url === url)),
    hide: (hostname) => Ref.update(hidden, (all) => new Set(all).add(hostname))
  })
  return Context.make(OutsideHttp, outside).pipe(Context.add(OutsideHttpMemory, control))
})

/** Servers that a test names, new for each build of the layer. */
export const layer = Layer.effectContext(make)
