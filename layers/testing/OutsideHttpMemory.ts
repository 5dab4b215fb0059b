import { Context, Effect, Layer, Ref } from "effect"
import { type OutsideAnswer, OutsideFailure, OutsideHttp } from "../../src/platform/ports/OutsideHttp.ts"

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
  }
>()("pennypress/layers/testing/OutsideHttpMemory") {}

const make = Effect.gen(function* () {
  const answers = yield* Ref.make<ReadonlyMap<string, OutsideAnswer | OutsideFailure>>(new Map())
  const asked = yield* Ref.make<ReadonlyArray<string>>([])

  const outside = OutsideHttp.of({
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
    asked: Ref.get(asked)
  })
  return Context.make(OutsideHttp, outside).pipe(Context.add(OutsideHttpMemory, control))
})

/** Servers that a test names, new for each build of the layer. */
export const layer = Layer.effectContext(make)
