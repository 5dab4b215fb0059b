import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { KeyLimitReached, WebsiteKeyRevoked } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { WebsiteKeys } from "../../../src/accounts/api-keys/WebsiteKeys.ts"
import { BrowserSessions } from "../../../src/accounts/browser-sessions/BrowserSessions.ts"
import { FAMILY_LIFETIME_MILLIS } from "../../../src/accounts/sessions/Sessions.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { type KeyMetadata, keysOf } from "./keys.ts"

/** Signs an owner in in one more browser. Returns its authority, and the owner's keys over the API. */
const browserOf = Effect.fnUntraced(function* (number: number) {
  const browsers = yield* BrowserSessions
  const { open } = browsers
  const token = yield* open(yield* signIn(number), "")
  const browser = Option.getOrThrow(yield* browsers.authenticate(token))
  const { accessToken } = yield* signIn(number)
  return { browser, end: browsers.end(browser, browser.sessionId), keys: yield* keysOf(accessToken) }
})

const isActive = ({ expiresAt, revokedAt }: KeyMetadata, at = 0) =>
  revokedAt === null && Date.parse(expiresAt ?? "") > at

layer(service(database("test_website_keys")))("The key of the website", (it) => {
  it.effect("The key is listed like any other, and counts among the five", () =>
    Effect.gen(function* () {
      const { browser, keys } = yield* browserOf(1)
      const { authorize } = yield* WebsiteKeys
      const { apiKeyId, ownerId } = yield* authorize(browser)
      assert.strictEqual(ownerId, browser.ownerId)
      const [listed, ...others] = yield* keys.list
      assert.lengthOf(others, 0)
      assert.deepInclude(listed, { id: apiKeyId, label: "Website", revokedAt: null })
      for (let more = 0; more < 4; more++) yield* keys.issued()
      assert.strictEqual((yield* keys.issue()).status, 409)
      // The same key serves every later request.
      assert.strictEqual((yield* authorize(browser)).apiKeyId, apiKeyId)
    })
  )

  it.effect("An owner with five keys has no room for it until one is revoked", () =>
    Effect.gen(function* () {
      const { browser, keys } = yield* browserOf(2)
      const { authorize } = yield* WebsiteKeys
      const issued = yield* Effect.forEach([1, 2, 3, 4, 5], () => keys.issued())
      assert.instanceOf(yield* Effect.flip(authorize(browser)), KeyLimitReached)
      yield* keys.revoke(issued[0]!.apiKey.keyId)
      yield* authorize(browser)
      assert.lengthOf(yield* keys.list, 6)
    })
  )

  it.effect("A key that its owner revoked stays so until they ask for another", () =>
    Effect.gen(function* () {
      const { browser, keys } = yield* browserOf(3)
      const { authorize, replace } = yield* WebsiteKeys
      const first = yield* authorize(browser)
      yield* keys.revoke(first.keyId)
      assert.instanceOf(yield* Effect.flip(authorize(browser)), WebsiteKeyRevoked)
      const second = yield* replace(browser)
      assert.notStrictEqual(second.apiKeyId, first.apiKeyId)
      assert.deepStrictEqual(yield* authorize(browser), second)
    })
  )

  it.effect("The key is replaced by the website alone", () =>
    Effect.gen(function* () {
      const { browser, keys } = yield* browserOf(7)
      const { authorize } = yield* WebsiteKeys
      const { keyId } = yield* authorize(browser)
      assert.strictEqual((yield* keys.rotate(keyId)).status, 404)
      assert.strictEqual((yield* authorize(browser)).keyId, keyId)
    })
  )

  it.effect("The key ends with the last browser of its owner, and returns with the next", () =>
    Effect.gen(function* () {
      const one = yield* browserOf(4)
      const other = yield* browserOf(4)
      const { authorize } = yield* WebsiteKeys
      const { apiKeyId } = yield* authorize(one.browser)
      yield* one.end
      assert.deepStrictEqual(
        (yield* one.keys.list).map((key) => isActive(key)),
        [true]
      )
      yield* other.end
      assert.deepStrictEqual(
        (yield* one.keys.list).map((key) => isActive(key)),
        [false]
      )
      const next = yield* browserOf(4)
      assert.strictEqual((yield* authorize(next.browser)).apiKeyId, apiKeyId)
      assert.deepStrictEqual(
        (yield* one.keys.list).map((key) => isActive(key)),
        [true]
      )
    })
  )

  it.effect("The key ends with the session for which it was made, and a later session renews it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(FAMILY_LIFETIME_MILLIS)
      const { browser } = yield* browserOf(5)
      const { authorize } = yield* WebsiteKeys
      const { apiKeyId } = yield* authorize(browser)
      yield* TestClock.setTime(2 * FAMILY_LIFETIME_MILLIS)
      const later = yield* browserOf(5)
      assert.deepStrictEqual(
        (yield* later.keys.list).map((key) => isActive(key, 2 * FAMILY_LIFETIME_MILLIS)),
        [false]
      )
      assert.strictEqual((yield* authorize(later.browser)).apiKeyId, apiKeyId)
      assert.deepStrictEqual(
        (yield* later.keys.list).map((key) => isActive(key, 2 * FAMILY_LIFETIME_MILLIS)),
        [true]
      )
    })
  )

  it.effect("Twenty pages that need the key at the same time make one", () =>
    Effect.gen(function* () {
      const { browser, keys } = yield* browserOf(6)
      const { authorize } = yield* WebsiteKeys
      const all = Array.from({ length: 20 }, () => authorize(browser))
      const authorities = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.lengthOf(new Set(authorities.map(({ apiKeyId }) => apiKeyId)), 1)
      assert.lengthOf(yield* keys.list, 1)
    })
  )
})
