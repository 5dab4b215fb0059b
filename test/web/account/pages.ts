import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"

export const ACCOUNT = "/desk/account"

/** Signs in, with the wallet of this number, in a browser of its own. */
export const signedIn = Effect.fnUntraced(function* (number: number) {
  const reader = yield* browser
  yield* signIn(reader, number)
  return reader
})

/** Returns a page that is for its reader alone, and valid. */
export const pageOf = Effect.fnUntraced(function* (reader: Browser, path = ACCOUNT) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  return answer.text
})

/** Sends a form. Returns its answer, which is for its reader alone, and valid. */
export const send = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  fields: Readonly<Record<string, string>> = {}
) {
  const answer = yield* reader.post(path, fields)
  assertPrivate(answer)
  if (answer.status !== 303) validated(answer.text, path)
  return answer
})

/** Returns the Idempotency-Key that the page puts into its form. */
export const keyOf = (reader: Browser) => Effect.map(pageOf(reader), (text) => valueOf(text, "key"))

/** Makes a key by the form, and returns its secret. */
export const keyMade = Effect.fnUntraced(function* (reader: Browser, label: string) {
  const made = yield* send(reader, `${ACCOUNT}/keys`, { key: yield* keyOf(reader), label })
  assert.strictEqual(made.status, 200, made.text)
  return secretIn(made.text)
})

/** Returns the secret of a new key that a page shows. */
export const secretIn = (text: string) => {
  const [secret] = /ppk_[0-9A-Za-z]{16}_[0-9A-Za-z]{43}/.exec(text) ?? []
  assert.isDefined(secret, text)
  return secret
}

/** Returns the public part of a key. */
export const keyIdOf = (secret: string) => secret.split("_")[1] ?? ""
