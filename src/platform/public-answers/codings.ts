import { Effect } from "effect"
import { AnswerBytes, type Coding } from "../ports/AnswerBytes.ts"
import type { AnswerStore, PublicAnswer } from "./AnswerStore.ts"

/** Makes the function that returns the body of a kept answer in a coding; undefined for an answer that is not kept. */
export const makeCodings = Effect.fnUntraced(function* (store: AnswerStore) {
  const { compress } = yield* AnswerBytes
  const compressing = new WeakMap<PublicAnswer["coded"], Map<Coding, Promise<Uint8Array>>>()
  const run = Effect.runPromiseWith(yield* Effect.context<never>())

  /** Compresses a body once for all callers who ask for it meanwhile. */
  const compressed = (key: string, answer: PublicAnswer, coding: Coding) => {
    const under = compressing.get(answer.coded) ?? new Map<Coding, Promise<Uint8Array>>()
    compressing.set(answer.coded, under)
    const begun =
      under.get(coding) ??
      run(
        Effect.tap(compress(answer.body, coding), (bytes) =>
          Effect.sync(() => store.addCoded(key, answer, coding, bytes))
        )
      )
    under.set(coding, begun)
    return Effect.promise(() => begun)
  }

  return (key: string, answer: PublicAnswer, coding: Coding): Effect.Effect<Uint8Array | undefined> =>
    Effect.suspend(() => {
      if (!store.has(key, answer)) return Effect.undefined
      const known = answer.coded.get(coding)
      return known === undefined ? compressed(key, answer, coding) : Effect.succeed(known)
    })
})
