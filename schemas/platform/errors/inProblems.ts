import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { FieldError } from "./FieldError.ts"
import { problems, type ProblemSlug } from "./problems.ts"
import { PublicBaseUrl } from "./PublicBaseUrl.ts"
import {
  decoded,
  type Described,
  formsOnce,
  ownMembers,
  pick,
  sentenceOf,
  type ServiceErrorClass
} from "./ServiceError.ts"

/** Form of every problem on the wire. Members of the error join these. */
export interface EncodedProblem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: ReadonlyArray<FieldError>
}

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

/** Names that the OpenAPI document gives problems whose class has the other family's name. */
const componentNames: Readonly<Record<string, string>> = {
  AccountRestricted: "AccountRestrictedProblem",
  EmailTaken: "EmailTakenProblem",
  Forbidden: "ForbiddenProblem",
  InternalError: "InternalProblem",
  MalformedJson: "MalformedJsonProblem",
  MethodNotAllowed: "MethodNotAllowedProblem",
  NotFound: "NotFoundProblem",
  PayloadTooLarge: "PayloadTooLargeProblem",
  RateLimited: "RateLimitedProblem",
  Unauthorized: "InvalidCredentialProblem",
  Unavailable: "UnavailableProblem",
  UnsupportedMediaType: "UnsupportedMediaTypeProblem",
  Validation: "ValidationProblem"
}

const problemJson = Schema.Void.pipe(HttpApiSchema.asJson({ contentType: "application/problem+json" })).ast
  .annotations

const problemOf = (Class: ServiceErrorClass, slug: ProblemSlug): Schema.Codec<Described, EncodedProblem> => {
  const { meaning, remedy, status, title } = problems[slug]
  // A problem may name no member, also where its class requires `errors`.
  const { errors: required, ...own } = ownMembers(Class)
  const struct = Schema.Struct({
    type: problemType(slug),
    title: Schema.tag(title),
    status: Schema.tag(status),
    detail: Schema.String,
    errors: Schema.optionalKey(Schema.Array(FieldError)),
    ...own
  }) as unknown as Schema.Codec<EncodedProblem>
  const names = ["errors", ...Object.keys(own)]
  return struct.pipe(
    Schema.decodeTo(
      Schema.toType(Class) as unknown as Schema.Codec<Described>,
      SchemaTransformation.transform({
        decode: ({ status: _status, title: _title, type: _type, ...members }) =>
          decoded(Class, required === undefined ? members : { errors: [], ...members }),
        encode: (error) => ({
          type: slug,
          title,
          status,
          detail: sentenceOf(error) ?? meaning,
          ...pick(error, names)
        })
      })
    ),
    Schema.annotate({
      ...problemJson,
      identifier: componentNames[Class.identifier] ?? Class.identifier,
      httpApiStatus: status,
      description: `${title}. ${meaning} ${remedy}`
    })
  )
}

/**
 * Returns the form of an error in the problem family (spec 7.1, RFC 9457): the schema that an endpoint lists under
 * `error`. Handlers fail with the class itself, and clients receive it. Status and title come from the table of
 * problems. Members of the error stand beside `detail`, and `type` is `{base_url}/problems/{slug}`.
 *
 * ```ts
 * HttpApiEndpoint.get("read", "/:postId", { params, success: Post, error: inProblems(NotFound, "not-found") })
 * ```
 */
export const inProblems = formsOnce(problemOf)
