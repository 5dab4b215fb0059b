import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { LinkQuery } from "../../platform/errors/linkQuery.ts"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession, PublicRead } from "../../platform/security/middleware.ts"
import { OwnTarget } from "./errors.ts"
import { ReactionRequest, ReactionResult, ReactorQuery, Reactors } from "./Reactors.ts"

const query = ReactorQuery.fields
const notFound = inJson(NotFound, "not_found")
const read = { query, success: Reactors, error: notFound }
const reactionRead = rateLimit("reaction-read")

/** Reactions as anyone sees them (spec 4.5). */
export class PublicReactionsApi extends HttpApiGroup.make("publicReactions")
  .add(
    HttpApiEndpoint.get("ofPost", "/api/posts/:postId/reactions", {
      ...read,
      params: { postId: PostId }
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the reactions to a Post",
          description:
            "Returns the counts of reactions to a Post. With `reaction`, it also lists the owners with that reaction, newest first."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("ofComment", "/api/comments/:commentId/reactions", {
      ...read,
      params: { commentId: CommentId }
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the reactions to a Comment",
          description: "Returns the reactions to a visible Comment, in the same form as for a Post."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("ofPostComment", "/api/posts/:postId/comments/:commentId/reactions", {
      ...read,
      params: { postId: PostId, commentId: CommentId }
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the reactions to a Comment of a Post",
          description: "Returns the reactions to a visible Comment, which must belong to the Post."
        })
      )
      .middleware(LinkQuery)
  )
  .annotateEndpointsMerge(reactionRead)
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Public reactions",
      description: "Reactions to Posts and Comments, without a credential"
    })
  ) {}

const set = {
  payload: ReactionRequest,
  success: ReactionResult,
  error: [notFound, inJson(OwnTarget, "own_target")]
}

/** Reactions of the owner who calls (spec 4.6). */
export class ReactionsApi extends HttpApiGroup.make("reactions")
  .add(
    HttpApiEndpoint.get("ofPost", "/api/v1/posts/:postId/reactions", {
      ...read,
      params: { postId: PostId }
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the reactions to a Post, including your own",
          description: "Returns the same as the public read, with the caller's own reaction."
        })
      )
      .annotateMerge(reactionRead),
    HttpApiEndpoint.put("toPost", "/api/v1/posts/:postId/reactions", {
      ...set,
      params: { postId: PostId }
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "React to a Post",
          description:
            "Sets the caller's single reaction to another author's Post; null clears it. A repeat changes nothing."
        })
      )
      .annotateMerge(rateLimit("account")),
    HttpApiEndpoint.get("ofComment", "/api/v1/comments/:commentId/reactions", {
      ...read,
      params: { commentId: CommentId }
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the reactions to a Comment, including your own",
          description: "Returns the same as the public read, with the caller's own reaction."
        })
      )
      .annotateMerge(reactionRead),
    HttpApiEndpoint.put("toComment", "/api/v1/comments/:commentId/reactions", {
      ...set,
      params: { commentId: CommentId }
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "React to a Comment",
          description:
            "Sets the caller's single reaction to another author's Comment; null clears it. A repeat changes nothing."
        })
      )
      .annotateMerge(rateLimit("account"))
  )
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Reactions",
      description: "Reactions of an owner to the Posts and Comments of others"
    })
  ) {}
