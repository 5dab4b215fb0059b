import { Effect, Option } from "effect"
import { type OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Owners } from "../../../accounts/owners/Owners.ts"
import { ImageReferences } from "../../posts/ImageReferences.ts"
import { OgImages } from "../../posts/OgImages.ts"
import { PostFiles } from "../../posts/PostFiles.ts"
import { type Lease, type Operation } from "./operation.ts"
import { operationStatements } from "./operations.sql.ts"
import { type Placement, placeStatements, type PlaceTarget } from "./places.sql.ts"
import type { Settlement } from "./settlement.ts"
import { isAttachment } from "./target.ts"

/** A file that is removed from its target. */
type RemovedFile = PlaceTarget & Pick<Operation, "id" | "public_url">

/**
 * The places of files. One image has its URL in `ogImage`, the avatar or the header; an attachment is a file of its
 * Post. Every method except `isKept` runs inside a transaction of the caller.
 */
export const makePlaces = Effect.gen(function* () {
  const operations = yield* operationStatements
  const decisions = yield* placeStatements
  const ogImages = yield* OgImages
  const references = yield* ImageReferences
  const owners = yield* Owners
  const postFiles = yield* PostFiles

  const put = Effect.fnUntraced(function* (
    { owner_id, target_id, target_kind }: PlaceTarget,
    placement: Option.Option<Placement>,
    at: Date
  ) {
    if (Option.isNone(placement)) return
    const { public_url, takes_place } = placement.value
    if (!takes_place || public_url === null || target_kind === "inline" || target_kind === "attachment")
      return
    if (target_kind === "og") {
      yield* ogImages.set({ postId: PostId.make(target_id), url: public_url, at })
      return
    }
    yield* owners.setImage(owner_id, target_kind, public_url)
  })

  /** Settles the receipt of an attachment, unless its Post takes none any more. */
  const receiveAttachment = Effect.fnUntraced(function* (
    operation: PlaceTarget & Lease,
    settlement: Settlement,
    at: Date
  ) {
    if (!(yield* operations.settle(operation, settlement))) return false
    if (settlement.received === undefined) return true
    const { byte_size: byteSize, sha256 } = settlement.received.file
    const postId = PostId.make(operation.target_id)
    yield* postFiles.receive({ id: operation.id, postId, byteSize, sha256, at })
    return true
  })

  return {
    /** Holds off other changes of the target, and returns the URL in its place; null for inline images. */
    lock: decisions.lockPlace,

    /**
     * Settles an operation, and places its image unless the author has put another there. Fails when the Post of an
     * attachment takes none any more. Returns false without the lease.
     */
    settle: Effect.fn("UploadPlaces.settle")(function* (
      operation: PlaceTarget & Lease,
      settlement: Settlement,
      place: { readonly url: string | null; readonly at: Date }
    ) {
      if (operation.target_kind === "inline") return yield* operations.settle(operation, settlement)
      if (operation.target_kind === "attachment")
        return yield* receiveAttachment(operation, settlement, place.at)
      const placement = yield* decisions.settleAndPlace(operation, settlement, place)
      yield* put(operation, placement, place.at)
      return Option.isSome(placement)
    }),

    /**
     * Places an image that has not been placed. With `again`, also places one that was placed before, and replaces the
     * URL that the author has put there.
     */
    place: Effect.fn("UploadPlaces.place")(function* (
      operation: PlaceTarget & Pick<Operation, "id">,
      place: { readonly url: string | null; readonly again: boolean; readonly at: Date }
    ) {
      yield* put(operation, yield* decisions.place(operation.id, place), place.at)
    }),

    /**
     * Removes every reference to a file from its Post or Profile (spec 3.2.4, 3.2.6). Buyers of an attachment keep it,
     * unless it is removed `forGood`.
     */
    remove: Effect.fn("UploadPlaces.remove")(function* (
      { id, owner_id, public_url, target_id, target_kind }: RemovedFile,
      at: Date,
      forGood: boolean = false
    ) {
      if (target_kind === "attachment") {
        const file = { id, postId: PostId.make(target_id), at }
        return yield* forGood ? postFiles.drop(file) : postFiles.remove(file)
      }
      if (public_url === null) return
      if (target_kind === "inline" || target_kind === "og") {
        const postId = PostId.make(target_id)
        yield* references.remove({ ownerId: owner_id, postId, url: public_url, at })
        return
      }
      yield* owners.clearImage(owner_id, public_url)
    }),

    /** Clears the header of the Profile, if it is this image. */
    removeHeader: (owner: OwnerId, url: string | null) =>
      url === null ? Effect.void : owners.clearImage(owner, url),

    /** Gives a cleared attachment to buyers. Images are in their places already. */
    clear: (operation: Operation, at: Date) =>
      isAttachment(operation)
        ? postFiles.clear({ id: operation.id, postId: PostId.make(operation.target_id), at })
        : Effect.void,

    /** Returns true when the object of a hidden operation stays, for the buyers of an attachment. */
    isKept: (operation: Operation) =>
      isAttachment(operation) ? postFiles.isKept(operation.id) : Effect.succeed(false)
  }
})
