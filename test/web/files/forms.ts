import { Effect } from "effect"
import { zipFile } from "../../support/actors/uploader.ts"
import { draftBy } from "../desk/author.ts"
import type { DeskForm } from "../desk/DeskForm.ts"
import { valueOf } from "../signIn.ts"

const file = { ...zipFile(), name: "zip" }

/** The forms that attach ZIPs to a post and remove them. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "attach a file",
    needsKey: true,
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = `${yield* draftBy(author)}/files`
      const { text } = yield* author.reader.get(path)
      return { path, fields: { key: valueOf(text, "key") }, file }
    })
  },
  {
    name: "remove a file",
    needsKey: true,
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = `${yield* draftBy(author)}/files`
      const { text } = yield* author.reader.get(path)
      yield* author.reader.postParts(path, { key: valueOf(text, "key") }, [file])
      const attached = yield* author.reader.get(path)
      return { path: `${path}/remove`, fields: { file: valueOf(attached.text, "file") } }
    })
  }
]
