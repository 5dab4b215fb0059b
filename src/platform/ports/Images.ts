import { Context, Schema, type Effect } from "effect"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"

/** One picture that an image shows: frames with the same pixels are one. */
export interface Representation {
  /** SHA-256 of its pixels and their dimensions, in hex. */
  readonly pixels: string
  /** A perceptual hash of 64 bits, in 16 hex digits: pictures that look alike differ in few bits. */
  readonly perceptual: string
}

/** What is known of an image once every pixel of it was decoded. */
export interface ImageInspection {
  readonly frames: number
  /** Each distinct picture, in the order of the frames; at least one, at most 128 (specification 8). */
  readonly representations: ReadonlyArray<Representation>
}

/**
 * The image cannot be decoded whole: it is truncated, is not what its header says, or shows more distinct pictures than
 * may be checked. The same bytes will never be decoded.
 */
export class ImageUnreadable extends Schema.TaggedError<ImageUnreadable>()("ImageUnreadable", {
  reason: Schema.Literals(["undecodable", "too_many_representations", "too_many_pixels"])
}) {}

/** Decoding took too long, or ended the process that did it. The image may be to blame, or the machine. */
export class ImageDecodingFailed extends Schema.TaggedError<ImageDecodingFailed>()("ImageDecodingFailed", {
  reason: Schema.Literals(["deadline", "crashed"])
}) {}

/** Nothing can be decoded now: no process could be started for it. */
export class ImagesUnavailable extends Schema.TaggedError<ImagesUnavailable>()("ImagesUnavailable", {
  cause: Schema.Defect()
}) {}

/** Decodes images whose containers were read before (`src/images`), away from the process that answers requests. */
export class Images extends Context.Service<
  Images,
  {
    /** Decodes every frame, within bounded time and memory. */
    readonly inspect: (
      bytes: Uint8Array,
      format: ImageFormat
    ) => Effect.Effect<ImageInspection, ImageUnreadable | ImageDecodingFailed | ImagesUnavailable>
  }
>()("pennypress/platform/ports/Images") {}
