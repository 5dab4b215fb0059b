import { Context, Effect, Layer, Option } from "effect"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { Owners } from "../../../accounts/owners/Owners.ts"
import { ImageReferences } from "../../posts/ImageReferences.ts"
import { OgImages } from "../../posts/OgImages.ts"
import type { Lease, Operation } from "../operation/operation.ts"
import type { Settlement } from "../operation/settlement.ts"
import type { Placement, PlaceTarget } from "./places.sql.ts"
import { UploadOperationsRepo } from "./UploadOperationsRepo.ts"

/** An image that is removed from its target. */
type RemovedImage = PlaceTarget & Pick<Operation, "public_url">

/**
 * The places that hold the URL of one image: `ogImage`, the avatar and the header. Every method runs inside a
 * transaction of the caller.
 */
export class UploadPlaces extends Context.Service<
  UploadPlaces,
  {
    /** Holds off other changes of the target, and returns the URL in its place; null for inline images. */
    readonly lock: (target: PlaceTarget) => Effect.Effect<string | null>
    /** Settles an operation, and places its image unless the author has put another there. False without the lease. */
    readonly settle: (
      operation: PlaceTarget & Lease,
      settlement: Settlement,
      place: { readonly url: string | null; readonly at: Date }
    ) => Effect.Effect<boolean>
    /** Places an image that has not been placed. With `again`, also one that was, or over what the author put there. */
    readonly place: (
      operation: PlaceTarget & Pick<Operation, "id">,
      place: { readonly url: string | null; readonly again: boolean; readonly at: Date }
    ) => Effect.Effect<void>
    /** Removes every reference to an image from its Post or Profile (spec 3.2.4, 3.2.6). */
    readonly remove: (image: RemovedImage, at: Date) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/repository/UploadPlaces") {
  static readonly layer = Layer.effect(
    UploadPlaces,
    Effect.gen(function* () {
      const repo = yield* UploadOperationsRepo
      const ogImages = yield* OgImages
      const references = yield* ImageReferences
      const owners = yield* Owners

      const put = Effect.fnUntraced(function* (
        { owner_id, target_id, target_kind }: PlaceTarget,
        placement: Option.Option<Placement>,
        at: Date
      ) {
        if (Option.isNone(placement)) return
        const { public_url, takes_place } = placement.value
        if (!takes_place || public_url === null || target_kind === "inline") return
        if (target_kind === "og") {
          yield* ogImages.set({ postId: PostId.make(target_id), url: public_url, at })
          return
        }
        yield* owners.setImage(owner_id, target_kind, public_url)
      })

      return UploadPlaces.of({
        lock: repo.lockPlace,
        settle: Effect.fn("UploadPlaces.settle")(function* (operation, settlement, place) {
          if (operation.target_kind === "inline") return yield* repo.settle(operation, settlement)
          const placement = yield* repo.settleAndPlace(operation, settlement, place)
          yield* put(operation, placement, place.at)
          return Option.isSome(placement)
        }),
        place: Effect.fn("UploadPlaces.place")(function* (operation, place) {
          yield* put(operation, yield* repo.place(operation.id, place), place.at)
        }),
        remove: Effect.fn("UploadPlaces.remove")(function* (
          { owner_id, public_url, target_id, target_kind },
          at
        ) {
          if (public_url === null) return
          if (target_kind === "inline" || target_kind === "og") {
            const postId = PostId.make(target_id)
            yield* references.remove({ ownerId: owner_id, postId, url: public_url, at })
            return
          }
          yield* owners.clearImage(owner_id, public_url)
        })
      })
    })
  )
}
