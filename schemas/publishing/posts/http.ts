import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { bodyKibibytesMax } from "../../platform/BodyBytesMax.ts"
import { AccountRestricted, NotFound, RevisionConflict } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { PostId } from "../../platform/Ids.ts"
import { describeLimited } from "../../platform/openapi.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import { StorageQuotaReached } from "../storage/errors.ts"
import {
  ContentNotEditable,
  FinancialHistoryRetained,
  IdempotencyKeySpent,
  IdempotencyMismatch,
  MalformedRevision,
  PaidContentRequired,
  PaidPostRequired,
  PostHasPurchases,
  PostPublished,
  PostWithdrawn,
  ProfileIncomplete,
  PublicationIncomplete,
  ResourceGone,
  SlugTaken
} from "./errors.ts"
import { OwnPostsQuery } from "./OwnPostsQuery.ts"
import { Post, PostPage, PublishResult, UnpublishResult } from "./Post.ts"
import { PostDraft, PostPatch } from "./PostDraft.ts"

const params = { postId: PostId }

/** Fits two sections of 200,000 characters, each up to six bytes when escaped, and the other members. */
const postBody = bodyKibibytesMax(4096)

/** Present on the answer of a repeated request that changed nothing. */
const replayed = { "x-idempotency-replay": Schema.optionalKey(Schema.Literal("true")) }

/** An object without members. A plain empty schema accepts every value, so this one has a member that accepts none. */
const emptyObject = Schema.Struct({
  "": Schema.optionalKey(Schema.Never.annotate({ expected: "an object without members" }))
})

export class PostsApi extends HttpApiGroup.make("posts")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: OwnPostsQuery.fields,
      success: PostPage
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List own Posts",
        description:
          "Returns the owner's drafts and published Posts, page by page, newest first. With `scheduled=true`, returns scheduled Posts: those that wait, the next first, and then those that failed."
      })
    ),
    HttpApiEndpoint.get("read", "/:postId", {
      params,
      success: Post,
      error: inProblems(NotFound, "not-found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read your own Post",
        description: "Returns a Post of the owner. Its `updatedAt` is the revision for X-Post-Revision."
      })
    ),
    HttpApiEndpoint.patch("update", "/:postId", {
      params,
      headers: {
        "x-post-revision": Schema.optionalKey(Schema.String),
        "if-match": Schema.optionalKey(Schema.String)
      },
      payload: PostPatch,
      success: Post,
      error: [
        inProblems(NotFound, "not-found"),
        inProblems(RevisionConflict, "revision-conflict"),
        inJson(MalformedRevision, "malformed_revision"),
        inProblems(SlugTaken, "slug-taken"),
        inProblems(StorageQuotaReached, "storage-quota-reached"),
        inProblems(PostPublished, "post-published"),
        inProblems(ContentNotEditable, "content-not-editable"),
        inProblems(PaidContentRequired, "paid-content-required"),
        inProblems(PaidPostRequired, "paid-post-required"),
        inProblems(ProfileIncomplete, "profile-incomplete"),
        inProblems(PublicationIncomplete, "publication-incomplete")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change a Post",
          description:
            "Changes the members that the request names and keeps the others. With X-Post-Revision, it fails if the Post has changed since the caller read it."
        })
      )
      .annotateMerge(postBody),
    HttpApiEndpoint.delete("remove", "/:postId", {
      params,
      success: HttpApiSchema.NoContent,
      error: [
        inProblems(NotFound, "not-found"),
        inProblems(PostPublished, "post-published"),
        inProblems(PostHasPurchases, "post-has-purchases"),
        inProblems(FinancialHistoryRetained, "financial-history-retained")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Delete a draft",
        description: "Deletes a draft that has neither purchases nor a financial history."
      })
    ),
    HttpApiEndpoint.post("publish", "/:postId/publish", {
      params,
      headers: { "idempotency-key": IdempotencyKey },
      payload: [HttpApiSchema.NoContent, emptyObject],
      success: HttpApiSchema.WithHeaders(PublishResult, replayed),
      error: [
        inProblems(NotFound, "not-found"),
        inProblems(IdempotencyMismatch, "idempotency-mismatch"),
        inProblems(IdempotencyKeySpent, "idempotency-key-spent"),
        inProblems(PostWithdrawn, "post-withdrawn"),
        inProblems(AccountRestricted, "account-restricted"),
        inProblems(ProfileIncomplete, "profile-incomplete"),
        inProblems(PublicationIncomplete, "publication-incomplete")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Make a Post public",
        description:
          "Makes a complete Post public. Repeat it with the same Idempotency-Key to get the same answer."
      })
    ),
    HttpApiEndpoint.post("unpublish", "/:postId/unpublish", {
      params,
      headers: { "idempotency-key": Schema.optionalKey(IdempotencyKey) },
      payload: [HttpApiSchema.NoContent, emptyObject],
      success: HttpApiSchema.WithHeaders(UnpublishResult, replayed),
      error: [
        inProblems(NotFound, "not-found"),
        inProblems(IdempotencyMismatch, "idempotency-mismatch"),
        inProblems(IdempotencyKeySpent, "idempotency-key-spent")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Make a public Post a draft again",
        description: "Makes a public Post a draft again. Buyers keep what they bought."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("key"))
  .add(
    // The handler counts it as `post-creation` unless it is a replay; replays precede limits (spec 4.3.6).
    HttpApiEndpoint.post("create", "/", {
      headers: { "idempotency-key": Schema.optionalKey(IdempotencyKey) },
      payload: PostDraft,
      success: HttpApiSchema.WithHeaders(Post.pipe(HttpApiSchema.status(201)), replayed),
      error: [
        inProblems(IdempotencyMismatch, "idempotency-mismatch"),
        inProblems(ResourceGone, "resource-gone"),
        inProblems(SlugTaken, "slug-taken"),
        inProblems(StorageQuotaReached, "storage-quota-reached")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create a draft",
          description:
            "Creates a draft from at least one section. Repeat it with the same Idempotency-Key to get the same Post."
        })
      )
      .annotateMerge(postBody)
      .annotate(OpenApi.Transform, describeLimited)
  )
  .prefix("/api/v1/posts")
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Own Posts",
      description: "The Post lifecycle of a Publishing key"
    })
  ) {}
