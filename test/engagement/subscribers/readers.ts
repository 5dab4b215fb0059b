import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { mailsTo } from "../../support/mailbox.ts"
import { BASE_URL, TestClient, type TestRequest } from "../../support/TestClient.ts"

/** Asks for the posts of an author by mail. */
export const ask = Effect.fnUntraced(function* (handle: string, email: string, request: TestRequest = {}) {
  const client = yield* TestClient
  return yield* client.send("POST", `/api/profile/${handle}/subscriptions`, { body: { email }, ...request })
})

/** Opens the link of a mail, or presses its button. */
export const open = Effect.fnUntraced(function* (method: string, url: string, request: TestRequest = {}) {
  return yield* (yield* TestClient).send(method, url.replace(BASE_URL, ""), request)
})

/** Returns the links in the mails to an address that confirm a subscription. */
export const confirmLinks = (email: string) =>
  Effect.map(mailsTo(email), (mails) =>
    mails.flatMap(({ text }) => /https:\S+\/subscriptions\/confirm\/\S+/.exec(text)?.[0] ?? [])
  )

/** Subscribes an address to an author, and confirms it. */
export const subscribed = Effect.fnUntraced(function* (handle: string, email: string) {
  assert.strictEqual((yield* ask(handle, email)).status, 202)
  const link = (yield* confirmLinks(email)).at(-1) ?? ""
  const page = yield* open("POST", link)
  assert.strictEqual(page.status, 200, page.text)
})
