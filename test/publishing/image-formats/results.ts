import { assert } from "@effect/vitest"
import { Result } from "effect"
import { mediaTypeOf, type ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { readContainer, type ImageContainer } from "../../../src/publishing/image-formats/container.ts"
import type { ImageRefusal } from "../../../src/publishing/image-formats/shared/refusal.ts"

/** Reads an image under its own media type. A refusal fails the test with its message. */
export const containerOf = (bytes: Uint8Array, format: ImageFormat): ImageContainer =>
  Result.getOrThrowWith(readContainer(bytes, mediaTypeOf[format]), (it) => new Error(it.message))

/** Returns the code of an image's refusal, or null. */
export const refusalOf = (bytes: Uint8Array, format: ImageFormat): ImageRefusal["code"] | null => {
  const result = readContainer(bytes, mediaTypeOf[format])
  return Result.isFailure(result) ? result.failure.code : null
}

/** Asserts that every case is refused with the code. */
export const assertRefused = (
  format: ImageFormat,
  code: ImageRefusal["code"],
  cases: Readonly<Record<string, Uint8Array>>
) => {
  for (const [name, bytes] of Object.entries(cases)) {
    assert.strictEqual(refusalOf(bytes, format), code, name)
  }
}

/** Asserts that every truncation of a valid image is refused. */
export const assertTruncationsRefused = (format: ImageFormat, bytes: Uint8Array) => {
  for (let length = 0; length < bytes.length; length++) {
    const code = refusalOf(bytes.subarray(0, length), format)
    assert.isNotNull(code, `${length} of ${bytes.length} bytes`)
    if (length >= 12) assert.strictEqual(code, "malformed", `${length} of ${bytes.length} bytes`)
  }
}
