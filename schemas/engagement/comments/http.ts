import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { bodyKibibytesMax } from "../../platform/BodyBytesMax.ts"
import { AccountRestricted, Forbidden, IdempotencyConflict, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { LinkQuery } from "../../platform/errors/linkQuery.ts"
import { ShortIdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession, PublicRead } from "../../platform/security/middleware.ts"
import { Comment, CommentDraft, DeletedComment, NewComment, ReplayedComment } from "./Comment.ts"
import { CommenterIncomplete, CommentNotReloaded, CommentsDisabled } from "./errors.ts"
import {
  CommentPage,
  CommentsQuery,
  PublicComments,
  ReceivedCommentPage,
  ReceivedCommentsQuery
} from "./page.ts"

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
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the Comments on a Post",
        description:
          "Lists the visible Comments on a Post, ascending by time and id, page by page. `threadRootId` selects one thread, including its root. A missing, hidden or disabled discussion is empty."
      })
    ),
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
      .annotateMerge(
        OpenApi.annotations({
          summary: "Comment on a Post",
          description:
            "Saves a Comment, or a reply up to four deep. The account needs a chosen name and handle. It may save at most 10 Comments in a minute and 200 in a day. A repeat with the same Idempotency-Key returns the saved Comment with 200, and is not counted."
        })
      )
      .annotateMerge(commentBody),
    HttpApiEndpoint.get("received", "/api/v1/comments", {
      query: ReceivedCommentsQuery.fields,
      success: ReceivedCommentPage
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the Comments on your Posts",
        description:
          "Lists the Comments of others on all Posts of the caller, newest first, each with its Post. Comments on drafts and in closed discussions are included, although readers do not see them. Deleted and hidden Comments are left out. Send the `nextCursor` of a page to get the next one."
      })
    ),
    HttpApiEndpoint.get("read", "/api/v1/comments/:commentId", {
      params: ofComment,
      success: Comment,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a Comment",
        description: "Returns a visible Comment. A deleted one is a tombstone without content."
      })
    ),
    HttpApiEndpoint.delete("remove", "/api/v1/comments/:commentId", {
      params: ofComment,
      success: DeletedComment,
      error: [inJson(NotFound, "not_found"), inJson(Forbidden, "forbidden")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Delete a Comment",
        description:
          "Erases the content of the caller's own Comment or, as moderator, of any Comment on the caller's own Post. The tombstone and its replies stay. A repeat returns the first deletion."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Comments",
      description: "Comments of readers on a Post"
    })
  ) {}

/** The discussion of a Post as any reader sees it (spec 4.5). */
export class PublicCommentsApi extends HttpApiGroup.make("publicComments")
  .add(
    HttpApiEndpoint.get("list", "/api/posts/:postId/comments", {
      params: ofPost,
      query: CommentsQuery.fields,
      success: PublicComments
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the discussion of a Post",
          description:
            "Returns the discussion of a Post. With `limit`, `cursor` or `threadRootId` the answer is a page. Otherwise it is an array of the newest 1,000 Comments, or fewer if their contents exceed 4 MiB. Both ascend by time and id. A missing, hidden or disabled discussion is empty. A cursor belongs to its Post and thread."
        })
      )
      .middleware(LinkQuery)
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Public Comments",
      description: "The discussion of a Post without a credential"
    })
  ) {}
