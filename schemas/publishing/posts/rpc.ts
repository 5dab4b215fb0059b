import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import {
  AccountRestricted,
  NotFound,
  RateLimited,
  RevisionConflict,
  Validation
} from "../../platform/errors/common.ts"
import { ProcedureFailures } from "../../platform/errors/procedures.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { PostId } from "../../platform/Ids.ts"
import { RateLimit } from "../../platform/rate-limits/limits.ts"
import { ProcedureRateLimits } from "../../platform/rate-limits/procedures.ts"
import { Operator } from "../../platform/security/administrator.ts"
import { Publisher } from "../../platform/security/publisher.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { unchecked } from "../../platform/unchecked.ts"
import { StorageQuotaReached } from "../storage/errors.ts"
import {
  ContentNotEditable,
  FinancialHistoryRetained,
  IdempotencyKeySpent,
  IdempotencyMismatch,
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

/** The Posts of the owner of a Publishing key, for another service of the operator. The same as the HTTP operations. */
export class PostsRpcs extends RpcGroup.make(
  Rpc.make("posts.list", { payload: OwnPostsQuery, success: PostPage }).annotate(
    AllowedWhileRestricted,
    true
  ),
  Rpc.make("posts.read", { payload: { postId: PostId }, success: Post, error: NotFound }).annotate(
    AllowedWhileRestricted,
    true
  ),
  /** Changes the members that `patch` names, when the Post has `revision` or the call requires none. */
  Rpc.make("posts.update", {
    payload: { postId: PostId, patch: unchecked(PostPatch), revision: Schema.optionalKey(Timestamp) },
    success: Post,
    error: Schema.Union([
      NotFound,
      Validation,
      RevisionConflict,
      SlugTaken,
      StorageQuotaReached,
      PostPublished,
      ContentNotEditable,
      PaidContentRequired,
      PaidPostRequired,
      ProfileIncomplete,
      PublicationIncomplete
    ])
  }),
  Rpc.make("posts.remove", {
    payload: { postId: PostId },
    error: Schema.Union([NotFound, PostPublished, PostHasPurchases, FinancialHistoryRetained])
  }),
  /** Safe to repeat with the same key. `replayed` tells the answer of an earlier call. */
  Rpc.make("posts.publish", {
    payload: { postId: PostId, idempotencyKey: IdempotencyKey },
    success: Schema.Struct({ value: PublishResult, replayed: Schema.Boolean }),
    error: Schema.Union([
      NotFound,
      IdempotencyMismatch,
      IdempotencyKeySpent,
      PostWithdrawn,
      AccountRestricted,
      ProfileIncomplete,
      PublicationIncomplete
    ])
  }),
  Rpc.make("posts.unpublish", {
    payload: { postId: PostId, idempotencyKey: Schema.optionalKey(IdempotencyKey) },
    success: Schema.Struct({ value: UnpublishResult, replayed: Schema.Boolean }),
    error: Schema.Union([NotFound, IdempotencyMismatch, IdempotencyKeySpent])
  })
)
  .annotateRpcs(RateLimit, "key")
  .add(
    /**
     * Creates a draft. A repeat with the same key gets the Post of the first call. The service counts a creation by itself,
     * as repeats precede the limit (spec 4.3.6).
     */
    Rpc.make("posts.create", {
      payload: { draft: unchecked(PostDraft), idempotencyKey: Schema.optionalKey(IdempotencyKey) },
      success: Schema.Struct({ post: Post, replayed: Schema.Boolean }),
      error: Schema.Union([
        Validation,
        IdempotencyMismatch,
        ResourceGone,
        RateLimited,
        SlugTaken,
        StorageQuotaReached
      ])
    })
  )
  .middleware(ProcedureRateLimits)
  .middleware(Publisher)
  .middleware(Operator)
  .middleware(ProcedureFailures) {}
