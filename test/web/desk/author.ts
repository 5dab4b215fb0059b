import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { signIn as signInByApi, walletOf } from "../../support/actors/owner.ts"
import { browser, type Browser } from "../browser.ts"
import { signIn, valueOf } from "../signIn.ts"
import type { DeskAuthor } from "./DeskForm.ts"

/** The fields that a person fills in for a post that is for sale. */
export const written = {
  title: "Nine degrees from upright",
  description: "A bridge that leans",
  free: "Everyone reads **this**.\r\n\r\nAnd this.",
  paid: "Only buyers read the PAIDWORD.",
  sell: "1",
  price: "0,25",
  primary: "3",
  comments: "1",
  method: "human_written",
  attested: "1"
}

/** The key and the revision that a page puts into its form. */
export const hiddenOf = (text: string) => ({ key: valueOf(text, "key"), revision: valueOf(text, "revision") })

/** Returns the fields that a page puts into its form. */
export const hiddenAt = Effect.fnUntraced(function* (reader: Browser, path: string) {
  const page = yield* reader.get(path)
  assert.strictEqual(page.status, 200, page.text)
  return hiddenOf(page.text)
})

/** Opens a new post, writes it and saves it. Returns its path. */
export const draftBy = Effect.fnUntraced(function* ({ reader }: Pick<DeskAuthor, "reader">) {
  const saved = yield* reader.post("/write", { ...(yield* hiddenAt(reader, "/write")), ...written })
  assert.strictEqual(saved.status, 303, saved.text)
  return (saved.headers.get("location") ?? "").replace(/\?.*/, "")
})

/** As `draftBy`, and publishes the post. */
export const postBy = Effect.fnUntraced(function* (author: Pick<DeskAuthor, "reader">) {
  const path = yield* draftBy(author)
  const form = yield* hiddenAt(author.reader, `${path}/publish`)
  const published = yield* author.reader.post(`${path}/publish`, form)
  assert.strictEqual(published.status, 303, published.text)
  return path
})

/** Signs a new author in, with a name, a handle and a payout address, by pages alone. */
export const deskAuthor = Effect.fnUntraced(function* (number: number) {
  const reader = yield* browser
  yield* signIn(reader, number)
  const { accessToken } = yield* signInByApi(number)
  yield* reader.post("/profile", { name: `Author ${number}`, handle: `writer_${number}`, back: "/desk" })
  const payout = yield* hiddenAt(reader, "/payout?back=/desk")
  yield* reader.post("/payout", { ...payout, address: walletOf(number).account, back: "/desk" })
  return { reader, token: accessToken, number } satisfies DeskAuthor
})
