import { Context, type Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"

/** The images of a Post, which the feature of uploads keeps. */
export class PostImages extends Context.Service<
  PostImages,
  {
    /** Cancels every image of a Post that is deleted, in that transaction; the files follow its commit (specification 3.1). */
    readonly release: (post: PostId) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/PostImages") {}
