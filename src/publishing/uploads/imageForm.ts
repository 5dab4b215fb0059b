import { Cause, Effect, Option, Schema, Stream } from "effect"
import type { Multipart } from "effect/http"
import { PayloadTooLargeProblem, ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { MalformedMultipart } from "../../../schemas/publishing/uploads/errors.ts"
import { ImageIntent } from "../../../schemas/publishing/uploads/http.ts"
import { BodyBrokenOff, type FormRefusal, type ReadForm, type SentFile } from "./form.ts"

/** What a form may hold beside its file. */
export interface FormRules {
  /** Whether there may be a field `intent`. */
  readonly hasIntent: boolean
  /** What is wrong with the intent of the form, or with its absence. */
  readonly refuse: (intent: ImageIntent | undefined) => FieldError | undefined
}

const refusalOf = ({ reason }: Multipart.MultipartError): FormRefusal => {
  switch (reason._tag) {
    case "Parse":
      return new MalformedMultipart({})
    case "InternalError":
      return new BodyBrokenOff()
    case "TooManyParts":
      return invalid("file", "too_long", "Expected one part `file` and no more than a few others")
    case "FileTooLarge":
    case "FieldTooLarge":
    case "BodyTooLarge":
      return new PayloadTooLargeProblem({})
  }
}

const invalid = (field: string, code: string, message: string) =>
  new ValidationProblem({ errors: [{ field, code, message }] })

const decodeIntent = Schema.decodeUnknownOption(ImageIntent)

/** What arrives. Some parts that are none make the parser throw, which is no failure of ours. */
const arriving = <A>(parts: Stream.Stream<A, Multipart.MultipartError>): Stream.Stream<A, FormRefusal> =>
  parts.pipe(
    Stream.mapError(refusalOf),
    Stream.catchCause((cause) =>
      Cause.hasDies(cause) ? Stream.fail(new MalformedMultipart({})) : Stream.failCause(cause)
    )
  )

/** The media type without its parameters. */
const bareType = (contentType: string) => (contentType.split(";")[0] ?? "").trim().toLowerCase()

/**
 * Reads a multipart form of exactly one part `file`, and of `intent` where the rules allow it, part by part as they
 * arrive (specification 4.4). A name that is unknown or there twice is an error that names it.
 */
export const readForm =
  (parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>, rules: FormRules): ReadForm =>
  <A, E>(onFile: (file: SentFile) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      let taken = Option.none<A>()
      let intent: ImageIntent | undefined

      const takeFile = Effect.fnUntraced(function* (part: Multipart.File) {
        if (Option.isSome(taken))
          return yield* invalid("file", "too_long", "Expected one part `file`, not several")
        const file: SentFile = { mediaType: bareType(part.contentType), bytes: arriving(part.content) }
        taken = Option.some(yield* onFile(file))
      })

      const takeField = Effect.fnUntraced(function* ({ key, value }: Multipart.Field) {
        if (key === "file") return yield* invalid("file", "invalid", "Expected a file with a file name")
        if (key !== "intent" || !rules.hasIntent) return yield* unknown(key)
        if (intent !== undefined)
          return yield* invalid("intent", "too_long", "Expected one intent, not several")
        const decoded = decodeIntent(value)
        if (Option.isNone(decoded)) return yield* invalid("intent", "invalid", "Expected `content` or `og`")
        intent = decoded.value
      })

      yield* Stream.runForEach(arriving(parts), (part): Effect.Effect<void, E | FormRefusal> => {
        if (part._tag === "Field") return takeField(part)
        return part.key === "file" ? takeFile(part) : unknown(part.key)
      })
      const refusal = rules.refuse(intent)
      if (refusal !== undefined) return yield* new ValidationProblem({ errors: [refusal] })
      if (Option.isNone(taken)) return yield* invalid("file", "required", "Expected one part `file`")
      return taken.value
    })

/** A name as long as a sender likes has no place in an answer. */
const NAME_SHOWN_MAX = 64

const unknown = (key: string) =>
  invalid(key.slice(0, NAME_SHOWN_MAX), "unknown", "Expected no part of this name")
