import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { AnswerBytes, type Coding } from "../ports/AnswerBytes.ts"
import { caching } from "../public-answers/caching.ts"
import { codingOf, isKnownAs, representationOf, responseOf, type Sendable } from "./representation.ts"

/** A text that stays the same as long as the process runs. */
interface Fixed<E, R> {
  readonly contentType: string
  /** Headers in addition to those of every such answer, or in their place. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes the text, with the first request for it. */
  readonly text: Effect.Effect<string, E, R>
}

const CACHING = { vary: "Accept-Encoding", "cache-control": caching.document }

const encoder = new TextEncoder()

/**
 * Makes the function that prepares the answer to reads of a fixed text. The text is made once and compressed once in each
 * coding, so all clients share its bytes. A client that has it gets a 304.
 */
export const makeFixedAnswer = Effect.map(AnswerBytes, ({ compress, digest }) => {
  const sendableOf = (
    { contentType, headers }: Omit<Fixed<never, never>, "text">,
    text: string
  ): Sendable => {
    const body = encoder.encode(text)
    return { contentType, body, digest: digest(body), headers: { ...CACHING, ...headers }, isWeak: false }
  }

  /** Makes a value once. A client that leaves does not end the work that others wait for. */
  const once = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.cached(Effect.uninterruptible(effect))

  const prepared = Effect.fnUntraced(function* <E, R>({ text, ...form }: Fixed<E, R>) {
    const made = yield* once(Effect.map(text, (it) => sendableOf(form, it)))
    const inCoding = (coding: Coding) => once(Effect.flatMap(made, ({ body }) => compress(body, coding)))
    return { made, coded: { br: yield* inCoding("br"), gzip: yield* inCoding("gzip") } }
  })

  return <E, R>(fixed: Fixed<E, R>) =>
    Effect.map(prepared(fixed), ({ coded, made }) =>
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const answer = yield* made
        const coding = codingOf(answer, headers)
        const isSent = coding !== undefined && !isKnownAs(answer, headers, coding)
        const bytes = isSent ? yield* coded[coding] : answer.body
        return responseOf(representationOf(answer, headers, { bytes, coding }))
      })
    )
})
