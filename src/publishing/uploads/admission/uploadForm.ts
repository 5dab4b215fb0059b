import { Cause, Effect, Option, Pull, Schema, type Scope, Stream } from "effect"
import type { Multipart } from "effect/http"
import { PayloadTooLarge, Validation } from "../../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import { MalformedMultipart } from "../../../../schemas/publishing/uploads/errors.ts"
import { ImageIntent } from "../../../../schemas/publishing/uploads/http.ts"

/** The sender is gone before the end of the body. The file may be sent again. */
export class BodyBrokenOff extends Schema.TaggedError<BodyBrokenOff>()("BodyBrokenOff", {}) {}

/** Reasons why a form is refused, or was not read to its end. */
export type FormRefusal = MalformedMultipart | PayloadTooLarge | Validation | BodyBrokenOff

/** The one file of a form, as it arrives. */
export interface SentFile {
  /** File name of its part; undefined where nothing names the file. */
  readonly fileName?: string
  /** Media type of its part, without parameters and in lower case. */
  readonly mediaType: string
  /** Ends once the rest of the form was read and found right; fails when it was not. */
  readonly bytes: Stream.Stream<Uint8Array, FormRefusal>
}

/** Rules of a form, apart from its file. */
export interface FormRules {
  /** True where a field `intent` is allowed. */
  readonly hasIntent: boolean
  /** Returns the error of the intent of the form, or of its absence. */
  readonly refuse: (intent: ImageIntent | undefined) => FieldError | undefined
}

const refusalOf = ({ reason }: Multipart.MultipartError): FormRefusal => {
  switch (reason._tag) {
    case "Parse":
      return new MalformedMultipart()
    case "InternalError":
      return new BodyBrokenOff()
    case "TooManyParts":
      return invalid("file", "too_long", "Send one part `file` and at most the field `intent`.")
    case "FieldTooLarge":
      // The parser does not say which field it is. The one that people send so long is a file without its name.
      return unnamed()
    case "FileTooLarge":
    case "BodyTooLarge":
      return new PayloadTooLarge()
  }
}

const invalid = (field: string, code: string, message: string) =>
  new Validation({ errors: [{ field, code, message }] })

const unnamed = () =>
  invalid(
    "file",
    "invalid",
    "Send the file with a file name. A part without one is a field of the form, and a field has at most 1 KiB."
  )

const decodeIntent = Schema.decodeUnknownOption(ImageIntent)

/** Turns failures of the parser into refusals. The parser throws on some parts that are malformed. */
const arriving = <A>(parts: Stream.Stream<A, Multipart.MultipartError>): Stream.Stream<A, FormRefusal> =>
  parts.pipe(
    Stream.mapError(refusalOf),
    Stream.catchCause((cause) =>
      Cause.hasDies(cause) ? Stream.fail(new MalformedMultipart()) : Stream.failCause(cause)
    )
  )

/** Returns the media type without its parameters. */
const bareType = (contentType: string) => (contentType.split(";")[0] ?? "").trim().toLowerCase()

/** Characters of a part's name that an error repeats. */
const NAME_SHOWN_MAX = 64

const unknown = (key: string) =>
  invalid(key.slice(0, NAME_SHOWN_MAX), "unknown", "Remove this part: the form has no such field.")

/** Returns a reader of the fields of a form. `end` fails when the intent, or its absence, is wrong. */
const fieldsOf = ({ hasIntent, refuse }: FormRules) => {
  let intent: ImageIntent | undefined
  return {
    take: Effect.fnUntraced(function* ({ key, value }: Multipart.Field) {
      if (key === "file") return yield* unnamed()
      if (key !== "intent" || !hasIntent) return yield* unknown(key)
      if (intent !== undefined) return yield* invalid("intent", "too_long", "Send one intent.")
      const decoded = decodeIntent(value)
      if (Option.isNone(decoded)) return yield* invalid("intent", "invalid", "Send `content` or `og`.")
      intent = decoded.value
    }),
    end: Effect.suspend(() => {
      const refusal = refuse(intent)
      return refusal === undefined ? Effect.void : Effect.fail(new Validation({ errors: [refusal] }))
    })
  }
}

/** Opens the parts of a form: `next` answers them one by one, then undefined. */
const openParts = Effect.fnUntraced(function* (
  parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>
) {
  const pull = yield* Stream.toPull(arriving(parts))
  let pending: ReadonlyArray<Multipart.Part> = []
  const next: Effect.Effect<Multipart.Part | undefined, FormRefusal> = Effect.suspend(() => {
    const [first, ...others] = pending
    if (first !== undefined) {
      pending = others
      return Effect.succeed(first)
    }
    return pull.pipe(
      Effect.flatMap((arrived) => {
        pending = arrived
        return next
      }),
      Pull.catchDone(() => Effect.undefined)
    )
  })
  return { next }
})

/**
 * Opens a multipart form at its file (spec 4.4). The form has exactly one part `file`, and `intent` where the rules
 * allow it. The parts are read as they arrive, and fields may follow the file. A name that is unknown, or sent twice,
 * is an error that names it.
 */
export const openForm = Effect.fnUntraced(function* (
  parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
  rules: FormRules
): Effect.fn.Return<SentFile, FormRefusal, Scope.Scope> {
  const { next } = yield* openParts(parts)
  const fields = fieldsOf(rules)

  const rest = Effect.gen(function* () {
    for (let part = yield* next; part !== undefined; part = yield* next) {
      if (part._tag === "Field") yield* fields.take(part)
      else if (part.key !== "file") return yield* unknown(part.key)
      else return yield* invalid("file", "too_long", "Send one part `file`.")
    }
    yield* fields.end
  })

  for (let part = yield* next; part !== undefined; part = yield* next) {
    if (part._tag === "Field") {
      yield* fields.take(part)
      continue
    }
    if (part.key !== "file") return yield* unknown(part.key)
    return {
      fileName: part.name,
      mediaType: bareType(part.contentType),
      bytes: Stream.concat(arriving(part.content), Stream.fromEffectDrain(rest))
    }
  }
  yield* fields.end
  return yield* invalid("file", "required", "Send the file as the part `file`.")
})
