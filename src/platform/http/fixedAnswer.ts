import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { AnswerBytes, type Coding } from "../ports/AnswerBytes.ts"
import { codingOf, isKnownAs, representationOf, responseOf, type Sendable } from "./representation.ts"

/** A text that stays the same as long as the process runs. */
interface Fixed<E, R> {
  readonly contentType: string
  /** Headers in addition to those of every such answer, or in their place. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes the text, with the first request for it. */
  readonly text: Effect.Effect<string, E, R>
}

/** Caches keep the answer for an hour, and then ask whether it has changed. */
const CACHING = { vary: "Accept-Encoding", "cache-control": "public, max-age=3600" }

const encoder = new TextEncoder()

/**
 * Makes the function that prepares the answer to reads of a fixed text. The text is made once and compressed once in each
 * coding, so all clients share its bytes. A client that has it gets a 304.
 */
export const makeFixedAnswer = Effect.map(AnswerBytes, ({ compress, digest }) =>
  Effect.fnUntraced(function* <E, R>({ contentType, headers, text }: Fixed<E, R>) {
    // A client that leaves must not end the work that others wait for.
    const made = yield* Effect.cached(
      Effect.uninterruptible(
        Effect.map(text, (it): Sendable => {
          const body = encoder.encode(it)
          return {
            contentType,
            body,
            digest: digest(body),
            headers: { ...CACHING, ...headers },
            isWeak: false
          }
        })
      )
    )
    const inCoding = (coding: Coding) =>
      Effect.cached(Effect.uninterruptible(Effect.flatMap(made, ({ body }) => compress(body, coding))))
    const coded = { br: yield* inCoding("br"), gzip: yield* inCoding("gzip") }

    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const answer = yield* made
      const coding = codingOf(answer, request.headers)
      const isSent = coding !== undefined && !isKnownAs(answer, request.headers, coding)
      const bytes = isSent ? yield* coded[coding] : answer.body
      return responseOf(representationOf(answer, request.headers, { bytes, coding }))
    })
  })
)
