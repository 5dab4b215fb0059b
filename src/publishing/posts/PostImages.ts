import { Context, type Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"

/** The images of a Post, which the uploads feature implements. */
export class PostImages extends Context.Service<
  PostImages,
  {
    /** Cancels every image of a deleted Post, in the transaction of the deletion; files follow the commit (spec 3.1). */
    readonly release: (post: PostId) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/PostImages") {}
