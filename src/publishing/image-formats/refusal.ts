import { Result } from "effect"

/**
 * Why an image is not taken (specification 4.4). `unsupported_type`: it is none of PNG, JPEG, WebP and GIF, or a kind of
 * JPEG that browsers do not show; `mismatch`: its media type and its first bytes disagree; `malformed`: its container
 * cannot be read from the first byte to the last; `out_of_range`: decoding it takes more than is allowed.
 */
export interface ImageRefusal {
  readonly code: "unsupported_type" | "mismatch" | "malformed" | "out_of_range"
  /** A sentence for people, which repeats nothing of the input. */
  readonly message: string
}

/** What a container says of its image, before any pixel is decoded. */
export interface ImageFacts {
  /** Pixels of the canvas that every frame is drawn on, before any orientation is applied. */
  readonly width: number
  readonly height: number
  /** Pictures that it holds: at least one. */
  readonly frames: number
}

/** The container is broken, with the sentence that says where. */
export const malformed = (message: string): Result.Result<never, ImageRefusal> =>
  Result.fail({ code: "malformed", message })

/** The bytes end before the image does. */
export const truncated: Result.Result<never, ImageRefusal> = malformed("The image is cut off before its end.")

/** It goes on after its end, which is how a file is made that is an image and something else as well. */
export const trailing: Result.Result<never, ImageRefusal> = malformed(
  "The image has other data after its end."
)
