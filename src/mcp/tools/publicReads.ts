import { Context, Effect, References, Schema, SchemaIssue } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SEARCH_LIMIT } from "../../../schemas/mcp/arguments.ts"
import type { SearchArguments } from "../../../schemas/mcp/hostedTools.ts"
import { type FailureCode, ToolFailure } from "../../../schemas/mcp/ToolFailure.ts"
import { RateLimited, Unavailable, Validation } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { type CategoryId, PostId } from "../../../schemas/platform/Ids.ts"
import { SummaryQuery } from "../../../schemas/publishing/discovery/query.ts"
import { makeClient } from "../../client/PennypressClient.ts"

/** Asks for a fresh answer: none that is kept, however short a time. */
const MadeAnew = Context.Reference<boolean>("pennypress/mcp/publicReads/MadeAnew", {
  defaultValue: () => false
})

const madeAnew = <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.provideService(read, MadeAnew, true)

const withCaching = (client: HttpClient.HttpClient) =>
  HttpClient.mapRequestEffect(client, (request) =>
    Effect.map(MadeAnew, (isAnew) =>
      isAnew ? HttpClientRequest.setHeader(request, "cache-control", "no-cache") : request
    )
  )

/** The fixed sentences of failures, and what to do about them. */
const SENTENCES: Readonly<
  Record<FailureCode, { readonly message: string; readonly nextStep: string | null }>
> = {
  validation: { message: "An argument is not valid", nextStep: "Correct the arguments in `fields`" },
  "rate-limited": { message: "Too many requests", nextStep: "Call again after `retryAfterSeconds`" },
  "service-unavailable": { message: "The service is not available at present", nextStep: "Call again later" },
  internal: { message: "Something failed in the service; its log has the reason", nextStep: null }
}

/** Fails with a code, its sentence, and the id of the request. */
export const failing = (
  code: FailureCode,
  more: { readonly retryAfterSeconds?: number; readonly fields?: ReadonlyArray<FieldError> } = {}
) =>
  Effect.flatMap(References.CurrentLogAnnotations, ({ requestId }) =>
    Effect.fail(
      new ToolFailure({
        code,
        ...SENTENCES[code],
        retryable: code === "rate-limited" || code === "service-unavailable",
        retryAfterSeconds: more.retryAfterSeconds ?? null,
        operationId: null,
        fields: more.fields ?? [],
        requestId: typeof requestId === "string" ? requestId : null
      })
    )
  )

/** The arguments of the tools, by the members of the API. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  q: "query",
  categoryId: "category_id",
  handle: "author_handle",
  authorKind: "author_kind",
  per_page: "limit",
  postId: "post_id"
}

const named = ({ code, field, message }: FieldError): FieldError => ({
  field: ARGUMENTS[field] ?? field,
  code,
  message
})

/** Gives an error of the API the form that tools answer. */
const failed = (error: unknown): Effect.Effect<never, ToolFailure> => {
  if (error instanceof Validation) return failing("validation", { fields: error.errors.map(named) })
  if (error instanceof RateLimited) {
    return failing("rate-limited", { retryAfterSeconds: error.retryAfterSeconds })
  }
  if (error instanceof Unavailable) return failing("service-unavailable")
  return Effect.andThen(Effect.logError("A tool could not read from the API", error), failing("internal"))
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Refuses arguments that the filters of the API cannot have. */
const refused = ({ issue }: Schema.SchemaError) =>
  failing("validation", {
    fields: format(issue).issues.map(({ path = [] }) =>
      named({
        field: String(path[0] ?? "arguments"),
        code: "invalid",
        message: "Send a value that this filter takes"
      })
    )
  })

const encodeQuery = Schema.encodeEffect(SummaryQuery)

/** Returns the filters of the API for the arguments of a search. */
export const queryOf = (wanted: SearchArguments): SummaryQuery => ({
  cursor: wanted.cursor ?? "",
  per_page: wanted.limit ?? SEARCH_LIMIT.default,
  ...(wanted.query === undefined ? {} : { q: wanted.query }),
  ...(wanted.category_id === undefined ? {} : { categoryId: wanted.category_id as CategoryId }),
  ...(wanted.author_handle === undefined ? {} : { handle: wanted.author_handle }),
  ...(wanted.author_kind === undefined ? {} : { authorKind: wanted.author_kind }),
  ...(wanted.access === undefined ? {} : { access: wanted.access }),
  ...(wanted.language === undefined ? {} : { language: wanted.language }),
  ...(wanted.sort === undefined ? {} : { sort: wanted.sort })
})

/**
 * Makes the reads of the tools, which are public operations of the API and nothing else. A Post is read each time, so
 * that its price is the one of the moment; lists may be kept ones. They need an `HttpClient`.
 */
export const makePublicReads = Effect.fnUntraced(function* (baseUrl: string) {
  const { discovery } = yield* makeClient({ baseUrl, transform: withCaching })
  const absent = Effect.undefined
  return {
    categories: discovery.categoryCounts().pipe(Effect.catch(failed)),

    posts: Effect.fnUntraced(function* (wanted: SearchArguments) {
      const query = queryOf(wanted)
      yield* Effect.catch(encodeQuery(query), refused)
      const list = yield* Effect.catch(discovery.posts({ query }), failed)
      return "pagination" in list ? list : yield* failing("internal")
    }),

    /** Returns a published Post with its free text; undefined for any other. */
    post: (id: string) =>
      madeAnew(discovery.post({ params: { postId: PostId.make(id.toLowerCase()) } })).pipe(
        Effect.catchTag("NotFound", () => absent),
        Effect.catch(failed)
      ),

    /**
     * Returns a published Post with its whole text while it is free; undefined for a Post that is not public. One request
     * decides and reads (spec 4.8).
     */
    content: (id: string) =>
      madeAnew(discovery.publicContent({ params: { postId: PostId.make(id.toLowerCase()) } })).pipe(
        Effect.catchTag("NotFound", () => absent),
        Effect.catch(failed)
      )
  }
})
