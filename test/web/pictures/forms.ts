import { Effect } from "effect"
import { draftBy, hiddenAt, hiddenOf, written } from "../desk/author.ts"
import type { DeskForm } from "../desk/DeskForm.ts"
import { valueOf } from "../signIn.ts"
import { inserted, png, textOf } from "./adding.ts"

/** The forms that add pictures to a post and remove them. They are the form of the post, with other buttons. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "insert a picture into a new post",
    typed: "PAIDWORD",
    needsKey: true,
    request: Effect.fnUntraced(function* ({ reader }) {
      const form = yield* hiddenAt(reader, "/write")
      return { path: "/write", fields: { ...form, ...written, alt: "A", place: "free" }, file: png() }
    })
  },
  {
    name: "insert a picture into a post",
    typed: "PAIDWORD",
    needsKey: true,
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = yield* draftBy(author)
      const form = yield* hiddenAt(author.reader, path)
      return { path, fields: { ...form, ...written, alt: "A", place: "free" }, file: png() }
    })
  },
  {
    name: "put a picture on the preview card",
    typed: "PAIDWORD",
    needsKey: true,
    isOfOwn: true,
    stale: { revision: "2000-01-01T00:00:00.000000Z" },
    request: Effect.fnUntraced(function* (author) {
      const path = yield* draftBy(author)
      const form = yield* hiddenAt(author.reader, path)
      return { path, fields: { ...form, ...written, alt: "", place: "card" }, file: png() }
    })
  },
  {
    name: "remove a picture",
    typed: "PAIDWORD",
    needsKey: true,
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = yield* draftBy(author)
      const page = yield* inserted(author.reader, path)
      const fields = { ...written, ...hiddenOf(page), free: textOf(page, "free") }
      return { path, fields: { ...fields, remove: valueOf(page, "remove") } }
    })
  }
]
