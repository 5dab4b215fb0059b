import { Context, Effect, Layer } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { ImageReferences } from "../posts/ImageReferences.ts"
import { type AssociationTarget, AssociationsRepo } from "./AssociationsRepo.ts"

/** An image, and its URL when it has one. */
interface WithdrawnImage extends AssociationTarget {
  readonly public_url: string | null
}

/** Images that nobody shall be shown any more: rejected, failed or cancelled ones. */
export class Withdrawals extends Context.Service<
  Withdrawals,
  {
    /**
     * Takes every reference to an image out of its Post or Profile (specification 3.2.4, 3.2.6). Run it within a
     * transaction that has locked the target.
     */
    readonly withdraw: (image: WithdrawnImage, at: Date) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/Withdrawals") {
  static readonly layer = Layer.effect(
    Withdrawals,
    Effect.gen(function* () {
      const associations = yield* AssociationsRepo
      const references = yield* ImageReferences

      return Withdrawals.of({
        withdraw: Effect.fn("Withdrawals.withdraw")(function* (image, at) {
          const { owner_id, public_url, target_id, target_kind } = image
          if (public_url === null) return
          if (target_kind === "avatar" || target_kind === "header") {
            return yield* associations.dissociate(owner_id, public_url)
          }
          yield* references.remove({ ownerId: owner_id, postId: PostId.make(target_id), url: public_url, at })
        })
      })
    })
  )
}
