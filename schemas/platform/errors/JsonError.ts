import { Effect, Schema } from "effect"
import type { FieldError } from "./FieldError.ts"
import { summaryOf } from "./summary.ts"
import { completed, tagged } from "./tagged.ts"

type Data<Code extends string, Fields extends Schema.Struct.Fields> = [keyof Fields] extends [never]
  ? Schema.withConstructorDefault<Schema.Struct<{ readonly code: Schema.tag<Code> }>>
  : Schema.Struct<{ readonly code: Schema.tag<Code> } & Fields>

interface JsonErrorProps {
  readonly message?: string
  readonly data?: { readonly errors?: ReadonlyArray<FieldError> }
}

/** Most clients show `message` alone, so it names the first field errors. */
const withSummary = (props: JsonErrorProps): JsonErrorProps => {
  const errors = props?.data?.errors ?? []
  return errors.length === 0 || props.message !== undefined ? props : { ...props, message: summaryOf(errors) }
}

/** Reason phrases of the statuses of spec 7 (RFC 9110, section 15). */
const statusMessages = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
} as const

/**
 * Declares an error of the ordinary JSON family (spec 7.2): a yieldable class whose wire form is
 * `{ statusCode, statusMessage, message, data: { code, ... } }`. `message` is the summary of `data.errors`, unless the
 * caller gives another.
 *
 * ```ts
 * class SelfFollow extends JsonError<SelfFollow>()("SelfFollow", {
 *   code: "self_follow",
 *   status: 400,
 *   message: "An owner cannot follow themselves"
 * }) {}
 *
 * new SelfFollow()
 * ```
 *
 * `fields` join `code` inside `data`, which the constructor then requires.
 */
export const JsonError =
  <Self = never>() =>
  <
    const Tag extends string,
    const Code extends string,
    const Status extends keyof typeof statusMessages,
    const Fields extends Schema.Struct.Fields = {}
  >(
    tag: Tag,
    declaration: { readonly code: Code; readonly status: Status; readonly message: string },
    fields?: Fields
  ) => {
    const data = Schema.Struct({ code: Schema.tag(declaration.code), ...fields })
    const struct = Schema.Struct({
      statusCode: Schema.tag(declaration.status),
      statusMessage: Schema.tag(statusMessages[declaration.status]),
      message: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(declaration.message))),
      data: (fields === undefined
        ? data.pipe(Schema.withConstructorDefault(Effect.succeed({ code: declaration.code })))
        : data) as unknown as Data<Code, Fields>
    })
    const Base = Schema.Error<Self, { readonly _tag: Tag }>(tag)(struct, {
      httpApiStatus: declaration.status,
      description: declaration.message
    })
    return tagged(completed(Base, withSummary), tag)
  }
