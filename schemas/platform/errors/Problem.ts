import { Context, Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { FieldError } from "./FieldError.ts"
import { problems, type ProblemSlug } from "./problems.ts"
import { summaryOf } from "./summary.ts"
import { completed, tagged } from "./tagged.ts"

/**
 * Origin of every URL that the service writes, without a slash at the end. A server sets it once, from its
 * configuration; as a reference it adds no requirement to schemas and endpoints.
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

interface ProblemProps {
  readonly detail?: string
  readonly errors?: ReadonlyArray<FieldError>
}

/** Most clients show `detail` alone, so it names the first field errors. */
const withSummary = (props: ProblemProps): ProblemProps => {
  const errors = props?.errors ?? []
  return errors.length === 0 || props.detail !== undefined ? props : { ...props, detail: summaryOf(errors) }
}

const problemJson = Schema.Void.pipe(HttpApiSchema.asJson({ contentType: "application/problem+json" })).ast
  .annotations

/**
 * Declares an error of the problem family (spec 7.1, RFC 9457). Status and title come from the table of problems.
 * `_tag` is for `Effect.catchTag` and never on the wire; `type` is the slug in memory and
 * `{base_url}/problems/{slug}` on the wire. `detail` is the summary of `errors`, unless the caller gives another.
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
    // For logs; the encoder does not see what is on the prototype.
    Object.defineProperty((Base as { readonly prototype: object }).prototype, "message", {
      get(this: { readonly detail: string }) {
        return this.detail
      }
    })
    return tagged(completed(Base, withSummary), tag)
  }
