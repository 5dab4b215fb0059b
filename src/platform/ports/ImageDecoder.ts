import { Context, Schema, type Effect } from "effect"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"

/** A distinct picture that an image shows. Frames with the same pixels are one representation. */
export interface Representation {
  /** SHA-256 of its pixels and their dimensions, in hex. */
  readonly pixels: string
  /** A perceptual hash of 64 bits, in 16 hex digits: pictures that look alike differ in few bits. */
  readonly perceptual: string
}

/** Facts about an image whose pixels were all decoded. */
export interface ImageInspection {
  readonly frames: number
  /** Each distinct picture, in the order of the frames; at least one, at most 128 (spec 8). */
  readonly representations: ReadonlyArray<Representation>
}

/** A smaller copy of an image as a WebP: turned as browsers turn the image, in sRGB, without metadata. */
export interface ScaledImage {
  /** Pixels. */
  readonly width: number
  readonly webp: Uint8Array
}

/**
 * The image cannot be decoded whole: it is truncated, contradicts its header, or shows too many distinct pictures. The
 * same bytes will never decode.
 */
export class ImageUnreadable extends Schema.TaggedError<ImageUnreadable>()("ImageUnreadable", {
  reason: Schema.Literals(["undecodable", "too_many_representations", "too_many_pixels"])
}) {}

/** The decoding exceeded its deadline or ended its process. The cause is the image or the machine. */
export class ImageDecodingFailed extends Schema.TaggedError<ImageDecodingFailed>()("ImageDecodingFailed", {
  reason: Schema.Literals(["deadline", "crashed"])
}) {}

/** The decoder cannot start a process now. */
export class ImageDecoderUnavailable extends Schema.TaggedError<ImageDecoderUnavailable>()(
  "ImageDecoderUnavailable",
  { cause: Schema.Defect() }
) {}

/** Decodes images whose containers passed the walk of `image-formats`, outside the process that answers requests. */
export class ImageDecoder extends Context.Service<
  ImageDecoder,
  {
    /** Decodes every frame of the public copy of an image, within bounded time and memory. */
    readonly inspect: (
      bytes: Uint8Array,
      format: ImageFormat
    ) => Effect.Effect<ImageInspection, ImageUnreadable | ImageDecodingFailed | ImageDecoderUnavailable>
    /**
     * Makes smaller copies of a still image, of these widths in ascending order; by default `VARIANT_WIDTHS`. Leaves out those that would be wider
     * than the image, higher than a WebP can be, not smaller in bytes, or more than `VARIANT_BYTES_MAX`.
     */
    readonly scale: (
      bytes: Uint8Array,
      format: ImageFormat,
      widths?: ReadonlyArray<number>
    ) => Effect.Effect<
      ReadonlyArray<ScaledImage>,
      ImageUnreadable | ImageDecodingFailed | ImageDecoderUnavailable
    >
  }
>()("pennypress/platform/ports/ImageDecoder") {}
