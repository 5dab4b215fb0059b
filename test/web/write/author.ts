import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { assertPrivate, type Browser } from "../browser.ts"
import { deskAuthor, hiddenOf, written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"

/** Opens a page of an author, which is valid and private. */
export const pageOf = Effect.fnUntraced(function* (reader: Browser, path: string, status = 200) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, status, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  return answer.text
})

/** Opens a new post, writes it and saves it. Returns its path. */
export const draftOf = Effect.fnUntraced(function* (
  reader: Browser,
  fields: Readonly<Record<string, string>> = written
) {
  const form = hiddenOf(yield* pageOf(reader, "/write"))
  const saved = yield* reader.post("/write", { ...form, ...fields })
  assert.strictEqual(saved.status, 303, saved.text)
  const location = saved.headers.get("location") ?? ""
  assert.match(location, /^\/write\/[0-9a-f-]{36}\?saved$/)
  return location.replace("?saved", "")
})

/** Presses the button of the page of publication. */
export const press = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  action: "publish" | "unpublish"
) {
  const form = hiddenOf(yield* pageOf(reader, `${path}/publish`))
  return yield* reader.post(`${path}/${action}`, form)
})

/** The browser of a new author. */
export const authorOf = (number: number) => Effect.map(deskAuthor(number), ({ reader }) => reader)
