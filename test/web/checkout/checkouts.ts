import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { assertPrivate, type Browser } from "../browser.ts"

/** Begins to pay for a Post. Returns the path of the checkout. */
export const begin = Effect.fnUntraced(function* (reader: Browser, postId: string) {
  const begun = yield* reader.post(`/read/${postId}/buy`)
  assert.strictEqual(begun.status, 303, begun.text)
  assertPrivate(begun)
  const path = begun.headers.get("location")!
  assert.match(path, /^\/pay\/[0-9a-f-]{36}$/)
  return path
})

/** Reads from a page what a payer copies. */
export const termsOf = (text: string) => {
  const [, payTo = "", amount = ""] = /nano:(nano_\w+)\?amount=(\d+)/.exec(text) ?? []
  return { payTo: NanoAddress.make(payTo), amount: BigInt(amount) }
}
