import { Context, Effect } from "effect"
import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"

/** Says whether payments keep a Post, or one of its files, from being deleted. Payments provide it; without payments nothing does. */
export const PostFinance = Context.Reference<{
  /**
   * Returns the reason why payments keep the Post: a paid purchase, or any other history, such as tips and payment
   * sessions; null when nothing does. Call it while the Post is locked, so that no payment comes in between.
   */
  readonly retained: (post: PostId) => Effect.Effect<"purchases" | "history" | null>
  /** Removes the traces of payments that were never made, before the Post is deleted. */
  readonly release: (post: PostId) => Effect.Effect<void>
  /**
   * Returns true when the file of a Post may be downloaded once it is off the Post: by a buyer, by a payment that is under
   * way, or by a reader of a gift. Call it while the Post is locked for update, so that no other comes in between.
   */
  readonly keepsFile: (file: UploadOperationId) => Effect.Effect<boolean>
}>("pennypress/publishing/posts/PostFinance", {
  defaultValue: () => ({
    retained: () => Effect.succeed(null),
    release: () => Effect.void,
    keepsFile: () => Effect.succeed(false)
  })
})
