import { Context, Effect, Layer, Option } from "effect"
import { type OgImage, postStatements } from "./posts.sql.ts"
import { makeRecordUpdate } from "./recordUpdate.ts"
import { makeUpdatingReaders } from "./updatingReaders.ts"

export type { OgImage }

/** The OG images that uploads place on Posts. */
export class OgImages extends Context.Service<
  OgImages,
  {
    /**
     * Saves an image as the `ogImage` of its Post and gives the Post a new revision. Returns true when the Post shows
     * the image afterwards, also when it did before. Returns false without a change when the Post does not exist, or
     * shows another image than `replaces`. Runs inside the transaction of the caller.
     */
    readonly set: (image: OgImage) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/OgImages") {
  static readonly layer = Layer.effect(
    OgImages,
    Effect.gen(function* () {
      const posts = yield* postStatements
      const updatingReaders = yield* makeUpdatingReaders
      const recordUpdate = yield* makeRecordUpdate
      return OgImages.of({
        set: Effect.fnUntraced(function* (image) {
          const { at, postId, url } = image
          const before = yield* posts.public(postId)
          const isShown = yield* updatingReaders(postId)(posts.setOgImage(image))
          if (isShown && Option.exists(before, ({ og_image }) => og_image !== url))
            yield* recordUpdate(postId, ["ogImage"], at)
          return isShown
        })
      })
    })
  )
}
