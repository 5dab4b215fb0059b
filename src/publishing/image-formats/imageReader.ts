import { Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Offload } from "../../platform/ports/Offload.ts"
import { imageTasks, type ReadImage, readImage, type SentImage } from "./imageTasks.ts"
import type { ImageRefusal } from "./shared/refusal.ts"

/**
 * Maximum number of bytes of an image that is read without a thread: in 64 KiB even the smallest parts take about a
 * millisecond.
 */
const AT_ONCE_BYTES_MAX = 64 * 1024

const tooExpensive = {
  refusal: {
    code: "out_of_range",
    message: "The image takes too long to read. Export it again with another program."
  }
} as const satisfies { readonly refusal: ImageRefusal }

/**
 * Makes a function that reads the container of an image and makes its public copy, without delaying other requests: a
 * small image at once, a larger one in a thread, in turn between owners. Takes the parts over: they may be empty
 * afterwards, and the read image has their bytes. Fails with the reason to refuse the image. Dies with
 * `DependencyUnavailable` when too many images of the owner, or of all owners, wait.
 */
export const makeImageReader = Effect.map(Offload, (offload) =>
  Effect.fn("Images.read")(function* (
    owner: OwnerId,
    image: SentImage
  ): Effect.fn.Return<ReadImage, ImageRefusal> {
    const answer =
      image.parts.reduce((size, part) => size + part.length, 0) <= AT_ONCE_BYTES_MAX
        ? readImage(image)
        : yield* Effect.catchTag(offload.run(imageTasks.readImage, image, owner), "TaskTooExpensive", () =>
            Effect.succeed(tooExpensive)
          )
    return "refusal" in answer ? yield* Effect.fail(answer.refusal) : answer
  })
)
