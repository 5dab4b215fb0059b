import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { pngChunk, pngOf } from "../../publishing/image-formats/png/makePng.ts"
import type { FormPart } from "../../publishing/uploads/multipart.ts"
import type { Browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"

/** The file field of a form, in which this file was chosen. */
export const chosen = (
  content: Uint8Array | string,
  fileName = "bridge.png",
  mediaType = "image/png"
): FormPart => ({
  name: "picture",
  fileName,
  mediaType,
  content
})

/** A picture that differs for each seed. */
export const png = (seed = 1) => chosen(pngOf({ width: 8, height: 8, seed }))

/** A picture of exactly this many bytes. */
export const pngOfBytes = (size: number) =>
  chosen(pngOf({ before: [pngChunk("paDd", new Uint8Array(size - pngOf().length - 12))] }))

/** Returns the text that stands in a field of many lines. */
export const textOf = (page: string, name: "free" | "paid") =>
  validated(page).find(({ attributes, tag }) => tag === "textarea" && attributes["id"] === name)?.text ?? ""

/** Returns the address of the image at the end of a text. */
export const lastImageOf = (text: string) => /!\[[^\]]*\]\((\S+)\)\n$/.exec(text)?.[1] ?? ""

/** Opens the page at a path, and presses Insert with this picture. */
export const insert = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  file: FormPart = png(),
  fields: Readonly<Record<string, string>> = { alt: "A bridge", place: "free" }
) {
  const { text } = yield* reader.get(path)
  return yield* reader.postParts(path, { ...hiddenOf(text), ...written, ...fields }, [file])
})

/** As `insert`, of a picture that is taken. Returns the page with the text. */
export const inserted = Effect.fnUntraced(function* (...sent: Parameters<typeof insert>) {
  const answer = yield* insert(...sent)
  assert.strictEqual(answer.status, 200, answer.text)
  validated(answer.text)
  return answer.text
})
