import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { signMessage, walletOf } from "../support/actors/owner.ts"
import type { Browser } from "./browser.ts"
import { validated } from "./pages/documents.ts"

/** Returns the value of a hidden field. */
export const valueOf = (text: string, name: string) =>
  new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(text)?.[1] ?? ""

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
