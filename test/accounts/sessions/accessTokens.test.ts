import { assert, layer } from "@effect/vitest"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createLocalJWKSet, generateKeyPair, jwtVerify, SignJWT } from "jose"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"
import { accessOf } from "./flows.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOW = Date.UTC(2026, 10, 21, 5)

layer(service(database("test_access_tokens")))("access tokens over the wire (5)", (it) => {
  const keySet = Effect.flatMap(TestClient, (client) => client.send("GET", "/.well-known/jwks.json"))

  it.effect("An access token verifies against the JWKS and names owner, session, method and expiry", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { accessToken } = yield* signIn(1)
      const { body } = yield* keySet
      const { payload } = yield* Effect.promise(() =>
        jwtVerify(accessToken, createLocalJWKSet(body), {
          issuer: BASE_URL,
          algorithms: ["EdDSA"],
          currentDate: new Date(NOW)
        })
      )
      const { jti, sid, sub, ...claims } = payload
      assert.deepStrictEqual(claims, {
        iss: BASE_URL,
        amr: ["nano"],
        iat: NOW / 1000,
        exp: NOW / 1000 + 15 * 60
      })
      assert.match(sub ?? "", UUID)
      assert.match(String(sid), UUID)
      assert.match(jti ?? "", UUID)
      const me = yield* (yield* TestClient).send("GET", "/api/v1/me", { token: accessToken })
      assert.strictEqual(me.body.owner.id, sub)
    })
  )

  it.effect("The key set may be cached by anyone, and holds no private part", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* keySet
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("cache-control"), "public, max-age=300")
      assert.lengthOf(body.keys, 1)
      assert.hasAllKeys(body.keys[0], ["kty", "crv", "alg", "use", "kid", "x"])
    })
  )

  it.effect("An access token expires after 15 minutes, to the second, while its session lives on", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { accessToken } = yield* signIn(2)
      yield* TestClock.adjust(15 * 60_000 - 1)
      assert.strictEqual(yield* accessOf(accessToken), 200)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* accessOf(accessToken), 401)
    })
  )

  it.effect("An access token that another party made is refused on every kind of route", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const client = yield* TestClient
      const { accessToken } = yield* signIn(3)
      const { body } = yield* keySet
      const [header = "", payload = "", signature = ""] = accessToken.split(".")
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString())
      const { kid, x } = body.keys[0]
      const { privateKey } = yield* Effect.promise(() => generateKeyPair("EdDSA"))
      const signed = (protectedHeader: object, key: Parameters<SignJWT["sign"]>[0], changes: object = {}) =>
        Effect.promise(() =>
          new SignJWT({ ...claims, ...changes })
            .setProtectedHeader(protectedHeader as { alg: string })
            .sign(key)
        )
      const none = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url")
      const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 900 })).toString("base64url")
      const forged = [
        `${none}.${payload}.`,
        `${none}.${payload}.${signature}`,
        `${header}.${longer}.${signature}`,
        `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
        yield* signed({ alg: "EdDSA", typ: "JWT", kid }, privateKey),
        yield* signed({ alg: "EdDSA", typ: "JWT" }, privateKey, { iss: "https://press.example" }),
        yield* signed({ alg: "HS256", typ: "JWT", kid }, utf8ToBytes(x)),
        yield* signed({ alg: "HS256", typ: "JWT", kid }, Buffer.from(x, "base64url"))
      ]
      for (const token of forged) {
        assert.strictEqual(yield* accessOf(token), 401, token)
        for (const path of ["/api/v1/me", "/api/posts"]) {
          assert.strictEqual((yield* client.send("GET", path, { token })).status, 401, token)
        }
      }
      assert.strictEqual(yield* accessOf(accessToken), 200)
    })
  )
})
