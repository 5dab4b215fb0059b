import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keyAccess, keysOf } from "../../accounts/api-keys/keys.ts"
import { signIn as signInByApi } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { valueOf } from "../signIn.ts"
import { ACCOUNT, keyIdOf, keyMade, keyOf, pageOf, secretIn, send, signedIn } from "./pages.ts"

const activeOf = Effect.fnUntraced(function* (number: number) {
  const { accessToken } = yield* signInByApi(number)
  const keys = yield* keysOf(accessToken)
  return (yield* keys.list).filter(({ revokedAt }) => revokedAt === null)
})

layer(service(database("test_web_account_keys")))("Publishing keys on the page of an account", (it) => {
  it.effect("A new key is shown once, works, is replaced, and ends when it is revoked", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(1)
      const secret = yield* keyMade(reader, "My <b>newsletter</b>")
      assert.strictEqual(yield* keyAccess(secret), 200)
      const listed = yield* pageOf(reader)
      assert.include(listed, "My &lt;b&gt;newsletter&lt;/b&gt;")
      assert.include(listed, "You have 1 key, and can have up to five.")
      assert.notInclude(listed, secret)
      const replaced = yield* send(reader, `${ACCOUNT}/keys/rotate`, { keyId: keyIdOf(secret) })
      assert.strictEqual(replaced.status, 200)
      const other = secretIn(replaced.text)
      assert.notStrictEqual(other, secret)
      assert.deepStrictEqual([yield* keyAccess(secret), yield* keyAccess(other)], [401, 200])
      const again = yield* send(reader, `${ACCOUNT}/keys/rotate`, { keyId: keyIdOf(secret) })
      assert.strictEqual(again.status, 409)
      assert.notMatch(again.text, /ppk_/)
      assert.strictEqual(yield* keyAccess(other), 200)
      for (const _ of [1, 2]) {
        const revoked = yield* send(reader, `${ACCOUNT}/keys/revoke`, { keyId: keyIdOf(other) })
        assert.strictEqual(revoked.headers.get("location"), `${ACCOUNT}?done=revoked`)
      }
      assert.strictEqual(yield* keyAccess(other), 401)
      const ended = yield* pageOf(reader, `${ACCOUNT}?done=revoked`)
      assert.include(ended, "The key is revoked.")
      assert.include(ended, "2 ended keys")
    })
  )

  it.effect("A form that is sent again makes no second key, and shows no secret", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(2)
      const key = yield* keyOf(reader)
      const first = yield* send(reader, `${ACCOUNT}/keys`, { key, label: "Once" })
      assert.strictEqual(first.status, 200)
      const again = yield* send(reader, `${ACCOUNT}/keys`, { key, label: "Once" })
      assert.strictEqual(again.status, 409)
      assert.include(again.text, "You already made this key")
      assert.notMatch(again.text, /ppk_/)
      const other = yield* send(reader, `${ACCOUNT}/keys`, { key, label: "Another" })
      assert.strictEqual(other.status, 409)
      assert.include(other.text, 'value="Another"')
      assert.lengthOf(yield* activeOf(2), 1)
      const next = yield* send(reader, `${ACCOUNT}/keys`, {
        key: valueOf(other.text, "key"),
        label: "Another"
      })
      assert.strictEqual(next.status, 200)
      assert.lengthOf(yield* activeOf(2), 2)
    })
  )

  it.effect("Two presses at the same time make one key", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(3)
      const key = yield* keyOf(reader)
      const press = send(reader, `${ACCOUNT}/keys`, { key, label: "Double" })
      const answers = yield* Effect.all([press, press], { concurrency: 2 })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
      assert.lengthOf(yield* activeOf(3), 1)
    })
  )

  it.effect("A label has 1 to 80 characters, and a refused one stays in its field", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(4)
      for (const label of ["", "   ", "é".repeat(81), "a\u202Eb", "two\nlines", "\0", "\u200B"]) {
        const refused = yield* send(reader, `${ACCOUNT}/keys`, { key: yield* keyOf(reader), label })
        assert.strictEqual(refused.status, 422, JSON.stringify(label))
        assert.include(refused.text, "Use 1 to 80 characters on one line")
      }
      const long = yield* send(reader, `${ACCOUNT}/keys`, {
        key: yield* keyOf(reader),
        label: "x".repeat(81)
      })
      assert.include(long.text, `value="${"x".repeat(81)}"`)
      yield* keyMade(reader, "👩‍👩‍👧".repeat(80))
      assert.lengthOf(yield* activeOf(4), 1)
      const malformed = yield* send(reader, `${ACCOUNT}/keys`, { key: "no key", label: "Fine" })
      assert.strictEqual(malformed.status, 400)
    })
  )

  it.effect("A key ends after 90 days, unless its owner wants it to stay", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(5)
      yield* keyMade(reader, "Short")
      const form = { key: yield* keyOf(reader), label: "Long", endless: "1" }
      const endless = yield* send(reader, `${ACCOUNT}/keys`, form)
      assert.include(endless.text, "It works until you revoke it.")
      yield* TestClock.adjust("91 days")
      const later = yield* signedIn(5)
      const text = yield* pageOf(later)
      assert.include(text, "You have 1 key, and can have up to five.")
      assert.include(text, "1 ended key")
      assert.match(text, /Long<\/bdi>[^]*never expires/)
    })
  )

  it.effect("A sixth key is refused with its label kept, until another one is revoked", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(6)
      const key = yield* keyOf(reader)
      const [first = ""] = yield* Effect.forEach([1, 2, 3, 4, 5], (at) => keyMade(reader, `Key ${at}`))
      const full = yield* pageOf(reader)
      assert.include(full, "You have five keys, which is the limit.")
      assert.notInclude(full, "Make a key")
      const sixth = yield* send(reader, `${ACCOUNT}/keys`, { key, label: "The sixth" })
      assert.strictEqual(sixth.status, 409)
      assert.include(sixth.text, 'value="The sixth"')
      // The key of the website is the sixth, too, and /write says so.
      assert.strictEqual((yield* send(reader, "/desk/key", { back: "/write" })).status, 409)
      yield* send(reader, `${ACCOUNT}/keys/revoke`, { keyId: keyIdOf(first) })
      const made = yield* send(reader, `${ACCOUNT}/keys`, {
        key: valueOf(sixth.text, "key"),
        label: "The sixth"
      })
      assert.strictEqual(made.status, 200)
    })
  )

  it.effect("The key of the website says what it is for, and /write says when it is revoked", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(7)
      // The first form that needs a key makes it.
      const begun = yield* reader.get("/write")
      yield* reader.post("/write", { key: valueOf(begun.text, "key"), title: "First" })
      const text = yield* pageOf(reader)
      assert.include(text, "saves and publishes what you write on this website")
      assert.notInclude(text, "/keys/rotate")
      yield* keyMade(reader, "Website")
      // A key of the owner with the same label is not that of the website.
      assert.lengthOf([...(yield* pageOf(reader)).matchAll(/saves and publishes what you write/g)], 1)
      yield* send(reader, `${ACCOUNT}/keys/revoke`, { keyId: valueOf(text, "keyId") })
      const write = yield* reader.get("/write")
      assert.strictEqual(write.status, 409)
      assert.include(write.text, "The website has no key")
      yield* send(reader, "/desk/key", { back: "/write" })
      assert.strictEqual((yield* reader.get("/write")).status, 200)
    })
  )

  it.effect("A key of another account, and a text that names none, is not found", () =>
    Effect.gen(function* () {
      const owner = yield* signedIn(8)
      const secret = yield* keyMade(owner, "Mine")
      const stranger = yield* signedIn(9)
      for (const keyId of [keyIdOf(secret), "", "\0", "x".repeat(16), "é".repeat(16)]) {
        for (const path of ["/keys/rotate", "/keys/revoke"]) {
          const { status } = yield* send(stranger, `${ACCOUNT}${path}`, { keyId })
          assert.strictEqual(status, 404, `${path} ${JSON.stringify(keyId)}`)
        }
        const made = yield* send(stranger, "/desk/key", { back: "/write", revoke: keyId })
        assert.strictEqual(made.status, 404, JSON.stringify(keyId))
      }
      assert.strictEqual(yield* keyAccess(secret), 200)
    })
  )
})
