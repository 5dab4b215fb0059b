import { Effect } from "effect"
import type { DeskAuthor, DeskForm } from "../desk/DeskForm.ts"
import { ACCOUNT, keyIdOf, keyMade, keyOf } from "./pages.ts"

/** A form about a key of the author. */
const aboutKey = (what: "rotate" | "revoke") =>
  Effect.fnUntraced(function* ({ reader }: DeskAuthor) {
    const secret = yield* keyMade(reader, "My newsletter")
    return { path: `${ACCOUNT}/keys/${what}`, fields: { keyId: keyIdOf(secret) } }
  })

/** The forms of the page of an account that change more than who is signed in. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "make a Publishing key",
    typed: "My newsletter",
    isOnce: true,
    request: ({ reader }) =>
      Effect.map(keyOf(reader), (key) => ({
        path: `${ACCOUNT}/keys`,
        fields: { key, label: "My newsletter" }
      }))
  },
  { name: "replace a Publishing key", isOfOwn: true, isOnce: true, request: aboutKey("rotate") },
  { name: "revoke a Publishing key", isOfOwn: true, request: aboutKey("revoke") },
  {
    name: "change the email address",
    typed: "someone@example.org",
    request: ({ number }) =>
      Effect.succeed({ path: `${ACCOUNT}/email`, fields: { email: `${number}someone@example.org` } })
  }
]
