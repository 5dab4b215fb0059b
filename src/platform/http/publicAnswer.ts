import { Context, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { AnswerBytes } from "../ports/AnswerBytes.ts"
import type { PublicAnswer } from "../public-answers/AnswerStore.ts"
import { caching } from "../public-answers/caching.ts"
import { PublicAnswers, type PublicRead } from "../public-answers/PublicAnswers.ts"
import { ReadByTool, ReadCounter } from "../public-answers/ReadCounter.ts"
import { tags as allTags } from "../public-answers/tags.ts"
import { codingOf, isKnownAs, PRIVATE, representationOf, responseOf } from "./representation.ts"
import { routeOf } from "./route.ts"

/** Seconds that a cache may keep a public read, unless the read has another time. */
const MAX_AGE_SECONDS = 15

/** The form in which a value is answered. */
export interface Form<in A> {
  readonly contentType: string
  readonly textOf: (value: A) => string
  /** Headers that are added to those of every public answer, or replace them. */
  readonly headersOf?: (value: A) => Readonly<Record<string, string>>
  /** True when all codings share one weak ETag. */
  readonly isWeak?: boolean
  /** Other media types of the URL, for clients that prefer one of them to this form. */
  readonly otherTypes?: ReadonlyArray<string>
}

/** Returns the form of a text that is answered as it is, to every reader, in all codings under one ETag. */
export const textForm = (contentType: string, headers: Readonly<Record<string, string>>): Form<string> => ({
  contentType,
  isWeak: true,
  textOf: (text) => text,
  headersOf: () => ({ vary: "Accept-Encoding", ...headers })
})

const json: Form<unknown> = { contentType: "application/json", textOf: (value) => JSON.stringify(value) }

const encoder = new TextEncoder()

const privateResponseOf = (answer: PublicAnswer, { headers }: HttpServerRequest.HttpServerRequest) =>
  responseOf(representationOf(answer, headers, { bytes: answer.body, coding: undefined }, PRIVATE))

/** Makes the function that answers public reads, with JSON unless it gets another form: `read` returns encoded values. */
export const makePublicAnswer = Effect.gen(function* () {
  const answers = yield* PublicAnswers
  const counter = yield* ReadCounter
  const { digest } = yield* AnswerBytes

  const made = <A>(
    value: A,
    { given, limit = "public-read", maxAgeSeconds = MAX_AGE_SECONDS, tags }: PublicRead<A>,
    form: Form<A>,
    route: string
  ): PublicAnswer => {
    const body = encoder.encode(form.textOf(value))
    return {
      route,
      limit,
      contentType: form.contentType,
      body,
      digest: digest(body),
      // Caches keep a public answer for a time and may revalidate it. An owner who sends a credential gets another one.
      headers: {
        vary: "Authorization, Accept-Encoding",
        "cache-control": caching.read(maxAgeSeconds),
        ...form.headersOf?.(value)
      },
      isWeak: form.isWeak === true,
      otherTypes: form.otherTypes ?? [],
      tags: [...tags(value), allTags.visibility],
      given: given?.(value),
      coded: new Map()
    }
  }

  const represented = Effect.fnUntraced(function* (
    key: string,
    answer: PublicAnswer,
    { headers }: HttpServerRequest.HttpServerRequest
  ) {
    const wanted = codingOf(answer, headers)
    if (isKnownAs(answer, headers, wanted))
      return representationOf(answer, headers, { bytes: answer.body, coding: wanted })
    const coded = wanted === undefined ? undefined : yield* answers.coded(key, answer, wanted)
    return representationOf(answer, headers, {
      bytes: coded ?? answer.body,
      coding: coded === undefined ? undefined : wanted
    })
  })

  return <A, E, R>(
    request: HttpServerRequest.HttpServerRequest,
    named: PublicRead<A>,
    read: Effect.Effect<A, E, R>,
    form: Form<A> = json
  ) =>
    Effect.withFiber<HttpServerResponse.HttpServerResponse, E, R | Viewer>((fiber) => {
      const route = routeOf(fiber.context)
      const make = Effect.map(read, (value) => made(value, named, form, route))
      const { ownerId } = Context.getUnsafe(fiber.context, Viewer)
      const count = ({ given }: PublicAnswer) => {
        if (given === undefined) return
        counter.read(request, fiber.getRef(ReadByTool) ? { ...given, by: "agents" } : given, ownerId)
      }
      if (ownerId !== null)
        return Effect.map(make, (answer) => {
          count(answer)
          return privateResponseOf(answer, request)
        })
      const { key } = named
      return answers.get({ key, url: request.url }, make).pipe(
        Effect.flatMap((answer) =>
          Effect.map(represented(key, answer, request), (representation) => {
            count(answer)
            return responseOf(representation)
          })
        )
      )
    })
})
