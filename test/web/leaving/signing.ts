import { Effect } from "effect"
import { signMessage, walletOf } from "../../support/actors/owner.ts"
import { ACCOUNT, send } from "../account/pages.ts"
import type { Browser } from "../browser.ts"
import { valueOf } from "../signIn.ts"

/** The page that deletes an account. */
export const PAGE = `${ACCOUNT}/delete`

const messageIn = (text: string) => /<pre[^>]*>([^<]+)<\/pre>/.exec(text)?.[1] ?? ""

/** Asks for the text to sign, and signs it with a wallet. */
export const signed = Effect.fnUntraced(function* (reader: Browser, number: number) {
  const { text } = yield* send(reader, PAGE, { step: "begin" })
  return {
    challengeId: valueOf(text, "challengeId"),
    signature: signMessage(walletOf(number), messageIn(text))
  }
})
