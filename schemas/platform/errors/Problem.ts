import { Context, Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { FieldError } from "./FieldError.ts"
import { problems, type ProblemSlug } from "./problems.ts"
import { tagged } from "./tagged.ts"

/**
 * The origin of every URL that the service writes, without a trailing slash.
 *
 * A `Context.Reference` has a default, so reading it while encoding adds no
 * requirement to any schema or endpoint. A server sets it once, from config.
 */
export const PublicBaseUrl = Context.Reference<string>("pennypress/schemas/PublicBaseUrl", {
  defaultValue: () => "http://localhost:4020"
})

const problemType = <const Slug extends string>(slug: Slug) =>
  Schema.String.check(Schema.isEndingWith(`/problems/${slug}`)).pipe(
    Schema.decodeTo(
      Schema.tag(slug),
      SchemaTransformation.transformEffect({
        decode: () => Effect.succeed(slug),
        encode: () => Effect.map(PublicBaseUrl, (base) => `${base}/problems/${slug}`)
      })
    )
  )

const problemJson = Schema.Void.pipe(HttpApiSchema.asJson({ contentType: "application/problem+json" })).ast
  .annotations

/**
 * Declares an error of the problem family (specification 7.1, RFC 9457): a
 * yieldable class whose status and title come from the table of problems, whose
 * `_tag` is for `Effect.catchTag` and never on the wire, and whose `type` is the
 * slug in memory and `{base_url}/problems/{slug}` on the wire.
 *
 * ```ts
 * class KeyAlreadyIssued extends Problem<KeyAlreadyIssued>()("KeyAlreadyIssued", "key-already-issued", {
 *   apiKey: ApiKey
 * }) {}
 * ```
 */
export const Problem =
  <Self = never>() =>
  <const Tag extends string, const Slug extends ProblemSlug, const Fields extends Schema.Struct.Fields = {}>(
    tag: Tag,
    slug: Slug,
    fields?: Fields
  ) => {
    const kind = problems[slug]
    const struct = Schema.Struct({
      type: problemType(slug),
      title: Schema.tag(kind.title),
      status: Schema.tag(kind.status),
      detail: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed<string>(kind.meaning))),
      errors: Schema.optionalKey(Schema.Array(FieldError)),
      ...(fields as Fields)
    })
    const Base = Schema.Error<Self, { readonly _tag: Tag }>(tag)(struct, {
      ...problemJson,
      httpApiStatus: kind.status,
      description: `${kind.title}. ${kind.meaning} ${kind.remedy}`
    })
    // `Error.prototype.message` for logs; on the prototype, so it is not encoded.
    Object.defineProperty((Base as { readonly prototype: object }).prototype, "message", {
      get(this: { readonly detail: string }) {
        return this.detail
      }
    })
    return tagged(Base, tag)
  }
