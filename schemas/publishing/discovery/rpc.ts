import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { NotFound, Validation } from "../../platform/errors/common.ts"
import { ProcedureFailures } from "../../platform/errors/procedures.ts"
import { PostId } from "../../platform/Ids.ts"
import { Operator } from "../../platform/security/administrator.ts"
import {
  Categories,
  CategoryCounts,
  PublicContent,
  PublicPost,
  PublicProfile,
  PublicProfileSummary,
  RelatedPosts,
  Summaries
} from "./Discovery.ts"
import { paging, RelatedQuery, SummaryQuery } from "./query.ts"

const postId = { postId: PostId }
const handle = { handle: Schema.String }

/**
 * Public reads for another service of the operator. They need no Publishing key. The same as the HTTP operations. Decode the
 * words that a reader typed with `SummaryQuery` first: a call with a query that is not valid is a defect of its caller.
 */
export class DiscoveryRpcs extends RpcGroup.make(
  Rpc.make("discovery.posts", { payload: SummaryQuery, success: Summaries, error: Validation }),
  Rpc.make("discovery.post", { payload: postId, success: PublicPost, error: NotFound }),
  Rpc.make("discovery.publicContent", { payload: postId, success: PublicContent, error: NotFound }),
  Rpc.make("discovery.related", {
    payload: { ...postId, query: RelatedQuery },
    success: RelatedPosts,
    error: NotFound
  }),
  Rpc.make("discovery.profile", { payload: handle, success: PublicProfile, error: NotFound }),
  Rpc.make("discovery.profileSummary", { payload: handle, success: PublicProfileSummary, error: NotFound }),
  Rpc.make("discovery.profilePosts", {
    payload: { ...handle, query: Schema.Struct(paging) },
    success: Summaries,
    error: Schema.Union([NotFound, Validation])
  }),
  Rpc.make("discovery.categories", { success: Categories }),
  Rpc.make("discovery.categoryCounts", { success: CategoryCounts })
)
  .middleware(Operator)
  .middleware(ProcedureFailures) {}
