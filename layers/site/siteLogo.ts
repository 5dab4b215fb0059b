import { basename } from "node:path"
import { Effect, FileSystem, Result } from "effect"
import type { SiteLogo } from "../../src/platform/ports/Settings.ts"
import { readPng } from "../../src/publishing/image-formats/png/readPng.ts"

/** Bytes of a picture that every page shows. */
const BYTES_MAX = 100 * 1024

/** Pixels of a side of a PNG, which each reader's browser holds in memory, however well it is compressed. */
const SIDE_MAX = 2048

const PNG = [0x89, 0x50, 0x4e, 0x47]

/** The element of an SVG, with the namespace without which no browser shows the file as a picture. */
const SVG = /<svg\s[^>]*xmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/u

const readPicture = Effect.fnUntraced(function* (
  bytes: Uint8Array<ArrayBuffer>
): Effect.fn.Return<SiteLogo, string> {
  if (!PNG.every((byte, at) => bytes[at] === byte)) {
    if (SVG.test(new TextDecoder().decode(bytes))) return { type: "image/svg+xml", bytes }
    return yield* Effect.fail('is neither a PNG nor an SVG with <svg xmlns="http://www.w3.org/2000/svg">')
  }
  const png = readPng(bytes)
  if (Result.isFailure(png)) return yield* Effect.fail(`is a damaged PNG; save it again with another program`)
  const { height, width } = png.success
  if (Math.max(width, height) > SIDE_MAX)
    return yield* Effect.fail(`is ${width} by ${height}; make no side longer than ${SIDE_MAX} pixels`)
  return { type: "image/png", bytes }
})

/** Reads the picture beside the name of the site. Fails with a sentence for the operator. */
export const readSiteLogo = Effect.fnUntraced(
  function* (path: string): Effect.fn.Return<SiteLogo, string, FileSystem.FileSystem> {
    const fs = yield* FileSystem.FileSystem
    const { size, type } = yield* Effect.mapError(
      fs.stat(path),
      () => "cannot be read; check its path and permissions"
    )
    if (type !== "File") return yield* Effect.fail("is not a file; name an SVG or a PNG")
    if (size > BYTES_MAX)
      return yield* Effect.fail(
        `has ${Math.ceil(Number(size) / 1024)} KiB; make it at most ${BYTES_MAX / 1024} KiB`
      )
    const bytes = yield* Effect.mapError(fs.readFile(path), () => "cannot be read; check its permissions")
    return yield* readPicture(new Uint8Array(bytes))
  },
  (effect, path) => Effect.mapError(effect, (problem) => `${basename(path)} ${problem}`)
)
