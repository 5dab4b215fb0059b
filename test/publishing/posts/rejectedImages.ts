import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { NativeNode } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { NativeContents, type NativePatch } from "../../../src/publishing/posts/NativeContents.ts"
import type { Author } from "../../support/actors/author.ts"

/** URL of the rejected image. */
export const url = "https://media.test/rejected.png"

/** URL of another image. */
export const other = "https://media.test/other.png"

/** A section with both images. */
export const markdown = `Before\n\n![a](${url})\n\n![b](${other})\n`

/** The section without the rejected image. */
export const without = `Before\n\n![b](${other})\n`

/** Writes native content as another service that holds the author's key. */
export const writeNative = Effect.fnUntraced(function* (author: Author, id: string, patch: NativePatch) {
  const contents = yield* NativeContents
  yield* author.asService((publisher, id) => contents.write(publisher, id, patch))(id)
})

/** Makes an image node. */
export const image = (src: string): NativeNode => ({ type: "image", attrs: { src } })

/** Returns all columns of a Post, with the exact text of its native documents. */
export const columnsOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [saved] = yield* sql<{ readonly columns: string; readonly native: object }>`
    select row_to_json(p)::text as columns, json_build_object(
      'free_content_native', free_content_native::text, 'paid_content_native', paid_content_native::text) as native
    from posts p where id = ${id}`
  const columns: Record<string, unknown> = { ...JSON.parse(saved!.columns), ...saved!.native }
  return columns
})
