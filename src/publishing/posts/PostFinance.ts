import { Context, Effect, Layer, type Option } from "effect"
import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"

/** Readers who may download a file of a Post once it is off the Post. */
export interface FileReaders {
  /** The time at which the last of them came. */
  readonly lastAt: Date
  /** The time at which there may be none any more; null for buyers, who stay. */
  readonly until: Date | null
}

/** Says whether payments keep a Post, or one of its files, from being deleted. Payments answer. */
export class PostFinance extends Context.Service<
  PostFinance,
  {
    /**
     * Returns the reason why payments keep the Post: a paid purchase, or any other history, such as tips and payment
     * sessions; null when nothing does. Call it while the Post is locked, so that no payment comes in between.
     */
    readonly retained: (post: PostId) => Effect.Effect<"purchases" | "history" | null>
    /** Removes the traces of payments that were never made, before the Post is deleted. */
    readonly release: (post: PostId) => Effect.Effect<void>
    /**
     * Keeps the present text of a Post that was sold, as one more version for its buyers, before the account of its author is
     * erased. Removes the versions that no one bought. Returns the digest of the kept version; null for a Post without
     * buyers. Call it while the Post is locked.
     */
    readonly keepForBuyers: (post: PostId, at: Date) => Effect.Effect<Uint8Array | null>
    /**
     * Returns the readers who may download the file of a Post once it is off the Post: buyers, payments that are under
     * way, payment sessions that are open at this moment, and readers of a gift. None if there are none. Call it while
     * the Post is locked for update, so that no other comes in between.
     */
    readonly fileReaders: (file: UploadOperationId, at: Date) => Effect.Effect<Option.Option<FileReaders>>
  }
>()("pennypress/publishing/posts/PostFinance") {}

/**
 * The answer of a service that never took a payment: every Post and every file may be deleted. Over a database with
 * payments, authors would delete files that readers bought, and the deletion of a sold Post would fail.
 */
export const withoutPayments = Layer.succeed(PostFinance, {
  retained: () => Effect.succeed(null),
  release: () => Effect.void,
  keepForBuyers: () => Effect.succeed(null),
  fileReaders: () => Effect.succeedNone
})
