import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { signMessage, walletOf } from "../support/actors/owner.ts"
import type { Browser } from "./browser.ts"
import { validated } from "./pages/documents.ts"

/** Returns the value of a hidden field. */
export const valueOf = (text: string, name: string) =>
  new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(text)?.[1] ?? ""

/** Asks for a code by mail, and returns the page at the address to which the browser is sent. */
export const askCode = Effect.fnUntraced(function* (
  reader: Browser,
  fields: Readonly<Record<string, string>>
) {
  const answer = yield* reader.post("/sign-in", fields)
  assert.strictEqual(answer.status, 303, answer.text)
  const address = answer.headers.get("location") ?? ""
  const page = yield* reader.get(address)
  assert.strictEqual(page.status, 200)
  validated(page.text)
  return { ...page, address }
})

/** Signs in by the pages, with the wallet of this number. `kept` is the form that waits for it, as the pages carry it. */
export const signIn = Effect.fnUntraced(function* (
  reader: Browser,
  number: number,
  back = "/",
  kept?: string
) {
  const wallet = walletOf(number)
  const onward = { back, ...(kept === undefined ? {} : { kept }) }
  const step = yield* reader.post("/sign-in", { account: wallet.account, ...onward })
  assert.strictEqual(step.status, 200, step.text)
  validated(step.text)
  const message = /<pre[^>]*>([^<]+)<\/pre>/.exec(step.text)![1]!
  const signed = {
    account: wallet.account,
    ...onward,
    challengeId: valueOf(step.text, "challengeId"),
    signature: signMessage(wallet, message)
  }
  return { signed, answer: yield* reader.post("/sign-in", signed) }
})
