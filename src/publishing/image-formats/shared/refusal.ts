import * as Result from "effect/Result"

/**
 * The reason to refuse an image (spec 4.4). `unsupported_type`: it is none of PNG, JPEG, WebP and GIF, or a kind of JPEG that
 * browsers do not show. `mismatch`: its media type and its first bytes disagree. `malformed`: its container cannot be read
 * from the first byte to the last. `out_of_range`: reading or decoding it takes more than is allowed.
 */
export interface ImageRefusal {
  readonly code: "unsupported_type" | "mismatch" | "malformed" | "out_of_range"
  /** A sentence for people, which repeats no byte of the image. */
  readonly message: string
}

/** The facts that a container states, before any pixel is decoded. */
export interface ImageFacts {
  /** Pixels of the canvas that every frame is drawn on, turned as readers see it. Chromium turns no WebP. */
  readonly width: number
  readonly height: number
  /** Pictures in the image: at least one. */
  readonly frames: number
}

/** Refuses a broken container. */
export const malformed = (
  what: string,
  advice = "Save the image again with another program, and send the new file."
): Result.Result<never, ImageRefusal> => Result.fail({ code: "malformed", message: `${what} ${advice}` })

/** Refuses an image beyond a bound. */
export const outOfRange = (message: string): Result.Result<never, ImageRefusal> =>
  Result.fail({ code: "out_of_range", message })

/** Spells a number for a message: 16,384. */
export const spelled = (value: number): string => value.toLocaleString("en-US")

/** Refuses an image that has more of its parts than `most`. */
export const tooMany = (image: string, parts: string, most: number): Result.Result<never, ImageRefusal> =>
  outOfRange(`The ${image} has more than ${spelled(most)} ${parts}. Export it again with another program.`)

/** Refuses an image whose bytes end too early. */
export const truncated: Result.Result<never, ImageRefusal> = malformed(
  "The image is cut off before its end.",
  "Send the whole file."
)
