import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { bodyKibibytesMax } from "../../platform/BodyBytesMax.ts"
import { AccountRestricted, Forbidden, IdempotencyConflict, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession, PublicRead } from "../../platform/security/middleware.ts"
import { ShortIdempotencyKey } from "../../platform/Text.ts"
import { Comment, CommentDraft, DeletedComment, NewComment, ReplayedComment } from "./Comment.ts"
import { CommenterIncomplete, CommentNotReloaded, CommentsDisabled } from "./errors.ts"
import { CommentPage, CommentsQuery, PublicComments } from "./page.ts"

/** Fits 16,000 code points, each up to twelve bytes when escaped, and the other members. */
const commentBody = bodyKibibytesMax(192)

const ofPost = { postId: PostId }
const ofComment = { commentId: CommentId }

/** Comments as an owner reads and writes them (spec 4.6). */
export class CommentsApi extends HttpApiGroup.make("comments")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/posts/:postId/comments", {
      params: ofPost,
      query: CommentsQuery.fields,
      success: CommentPage
    }).annotate(OpenApi.Summary, "List the Comments on a Post"),
    HttpApiEndpoint.post("append", "/api/v1/posts/:postId/comments", {
      params: ofPost,
      headers: { "idempotency-key": ShortIdempotencyKey },
      payload: CommentDraft,
      success: [NewComment, ReplayedComment],
      error: [
        inJson(NotFound, "not_found"),
        inJson(CommentsDisabled, "comments_disabled"),
        inJson(AccountRestricted, "account_restricted"),
        inJson(CommenterIncomplete, "profile_incomplete"),
        inJson(IdempotencyConflict, "idempotency_key_conflict"),
        inJson(CommentNotReloaded, "comment_not_reloaded")
      ]
    })
      .annotate(OpenApi.Summary, "Comment on a Post")
      .annotateMerge(commentBody),
    HttpApiEndpoint.get("read", "/api/v1/comments/:commentId", {
      params: ofComment,
      success: Comment,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Read a Comment"),
    HttpApiEndpoint.delete("remove", "/api/v1/comments/:commentId", {
      params: ofComment,
      success: DeletedComment,
      error: [inJson(NotFound, "not_found"), inJson(Forbidden, "forbidden")]
    }).annotate(OpenApi.Summary, "Delete a Comment")
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Comments",
      description: "Comments of readers on a Post (spec 4.6)"
    })
  ) {}

/** The discussion of a Post as any reader sees it (spec 4.5). */
export class PublicCommentsApi extends HttpApiGroup.make("publicComments")
  .add(
    HttpApiEndpoint.get("list", "/api/posts/:postId/comments", {
      params: ofPost,
      query: CommentsQuery.fields,
      success: PublicComments
    }).annotate(OpenApi.Summary, "Read the discussion of a Post")
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  // Links may carry further parameters, so unknown ones are ignored here, as in all public reads.
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Public Comments",
      description: "The discussion of a Post without a credential (spec 4.5)"
    })
  ) {}
