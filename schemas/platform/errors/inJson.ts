import { Schema, SchemaTransformation } from "effect"
import { type JsonErrorCode, type JsonErrorKind, jsonErrors, statusMessages } from "./jsonErrors.ts"
import {
  decoded,
  type Described,
  formsOnce,
  ownMembers,
  pick,
  sentenceOf,
  type ServiceErrorClass
} from "./ServiceError.ts"

/** Form of every error of the ordinary JSON family on the wire. Members of the error join `code`. */
export interface EncodedJsonError {
  readonly statusCode: number
  readonly statusMessage: string
  readonly message: string
  readonly data: { readonly code: string }
}

/** Names that the OpenAPI document gives errors whose class has the name of a problem. */
const componentNames: Readonly<Record<string, string>> = {
  InvalidChallenge: "InvalidLinkChallenge",
  InvalidCode: "InvalidEmailCode"
}

/** Returns the members under the names of the wire, or back under those of the class. */
const renameBy = (names: ReadonlyMap<string, string>, members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [names.get(name) ?? name, value]))

const jsonErrorOf = (
  Class: ServiceErrorClass,
  name: JsonErrorCode
): Schema.Codec<Described, EncodedJsonError> => {
  const { code = name, message, renamed = {}, status }: JsonErrorKind = jsonErrors[name]
  const own = ownMembers(Class)
  const toWire = new Map(Object.entries(renamed))
  const fromWire = new Map(Object.entries(renamed).map(([name, wire]) => [wire, name]))
  const statusMessage = statusMessages[status]
  const struct = Schema.Struct({
    statusCode: Schema.tag(status),
    statusMessage: Schema.tag(statusMessage),
    message: Schema.String,
    data: Schema.Struct({ code: Schema.tag(code), ...renameBy(toWire, own) })
  }) as unknown as Schema.Codec<EncodedJsonError>
  return struct.pipe(
    Schema.decodeTo(
      Schema.toType(Class) as unknown as Schema.Codec<Described>,
      SchemaTransformation.transform({
        decode: ({ data: { code: _code, ...members }, message: detail }) =>
          decoded(Class, { detail, ...renameBy(fromWire, members) }),
        encode: (error) => ({
          statusCode: status,
          statusMessage,
          message: sentenceOf(error) ?? message,
          data: { code, ...renameBy(toWire, pick(error, Object.keys(own))) }
        })
      })
    ),
    Schema.annotate({
      identifier: componentNames[Class.identifier] ?? Class.identifier,
      httpApiStatus: status,
      description: message
    })
  )
}

/**
 * Returns the form of an error in the ordinary JSON family (spec 7.2): the schema that an endpoint lists under `error`.
 * Handlers fail with the class itself, and clients receive it. The wire form is
 * `{ statusCode, statusMessage, message, data: { code, ... } }`. Status and general message come from the table of
 * codes, and the members that the class declares join `code`.
 *
 * ```ts
 * HttpApiEndpoint.get("post", "/api/posts/:postId", { params, success: PublicPost, error: inJson(NotFound, "not_found") })
 * ```
 */
export const inJson = formsOnce(jsonErrorOf)
