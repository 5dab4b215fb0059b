import { assert, describe, it } from "@effect/vitest"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Base64Url } from "effect/encoding"
import { TestClock } from "effect/testing"
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  type JWTPayload
} from "jose"
import * as AccessTokensJose from "../../../layers/crypto/AccessTokensJose.ts"
import { ServerSecret } from "../../../layers/crypto/ServerSecret.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { AccessTokens, type AccessClaims } from "../../../src/platform/ports/AccessTokens.ts"
import { configured, NEW, OLD, started } from "./serverSecrets.ts"

const BASE_URL = "https://press.test"

const claims: AccessClaims = {
  ownerId: OwnerId.make("019a0000-0000-7000-8000-000000000001"),
  sessionId: SessionId.make("019a0000-0000-7000-8000-000000000002"),
  method: "nano"
}

/** A server with these secrets, the newest first. */
const server = (secrets: string, baseUrl = BASE_URL) =>
  started(
    AccessTokensJose.layer.pipe(Layer.provide([configured(secrets), Layer.succeed(PublicBaseUrl, baseUrl)]))
  ).pipe(
    Effect.map((context) => Context.get(context, AccessTokens)),
    Effect.map((tokens) => ({
      sign: tokens.sign,
      keySet: tokens.keySet,
      verify: (token: string) => tokens.verify(Redacted.make(token))
    }))
  )

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)
const encode = (value: unknown) => Base64Url.encode(utf8ToBytes(JSON.stringify(value)))

describe("access tokens (spec 5)", () => {
  it.effect("An access token is a JWT that clients check against the published key set", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5, 0, 0, 999))
      const { keySet, sign } = yield* server(NEW)
      const token = yield* sign(claims)
      const issuedAt = Date.UTC(2026, 10, 21, 5) / 1000
      const { payload, protectedHeader } = yield* promise(() =>
        jwtVerify(token, createLocalJWKSet(structuredClone(keySet) as never), {
          issuer: BASE_URL,
          currentDate: new Date(issuedAt * 1000)
        })
      )
      const { jti, ...named } = payload
      assert.match(jti ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual<JWTPayload>(named, {
        iss: BASE_URL,
        sub: claims.ownerId,
        sid: claims.sessionId,
        amr: ["nano"],
        iat: issuedAt,
        exp: issuedAt + 15 * 60
      })
      assert.deepStrictEqual(protectedHeader, { alg: "EdDSA", typ: "JWT", kid: keySet.keys[0]!.kid })
      assert.hasAllKeys(keySet.keys[0], ["kty", "crv", "alg", "use", "kid", "x"])
    })
  )

  it.effect("An access token names its owner, by wallet and by e-mail", () =>
    Effect.gen(function* () {
      const { sign, verify } = yield* server(NEW)
      for (const method of ["nano", "email"] as const) {
        const said = yield* verify(yield* sign({ ...claims, method }))
        assert.deepStrictEqual(said, Option.some({ ...claims, method }))
      }
    })
  )

  it.effect("An access token expires after 15 minutes, to the second", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const { sign, verify } = yield* server(NEW)
      const token = yield* sign(claims)
      yield* TestClock.adjust(15 * 60_000 - 1)
      assert.isTrue(Option.isSome(yield* verify(token)))
      yield* TestClock.adjust(1)
      assert.isTrue(Option.isNone(yield* verify(token)))
    })
  )

  it.effect("A token without a signature, or with one by the public key as HMAC secret, is refused", () =>
    Effect.gen(function* () {
      const { keySet, sign, verify } = yield* server(NEW)
      const token = yield* sign(claims)
      const [header = "", payload = "", signature = ""] = token.split(".")
      const { kid, x } = keySet.keys[0]!
      for (const alg of ["none", "None", "NONE"]) {
        assert.isTrue(Option.isNone(yield* verify(`${encode({ alg, typ: "JWT", kid })}.${payload}.`)))
        assert.isTrue(
          Option.isNone(yield* verify(`${encode({ alg, typ: "JWT", kid })}.${payload}.${signature}`))
        )
      }
      for (const secret of [
        utf8ToBytes(x),
        Buffer.from(x, "base64url"),
        utf8ToBytes(JSON.stringify(keySet.keys[0]))
      ]) {
        const forged = new SignJWT(JSON.parse(Buffer.from(payload, "base64url").toString()))
          .setProtectedHeader({ alg: "HS256", typ: "JWT", kid })
          .sign(secret)
        assert.isTrue(Option.isNone(yield* verify(yield* promise(() => forged))))
      }
      for (const torn of [
        "",
        ".",
        "..",
        header,
        `${header}.${payload}`,
        `${header}.${payload}.`,
        `${token}.`,
        `${token}A`
      ]) {
        assert.isTrue(Option.isNone(yield* verify(torn)), torn)
      }
    })
  )

  it.effect("A header of many levels is refused before it is parsed", () =>
    Effect.gen(function* () {
      const { sign, verify } = yield* server(NEW)
      const [, payload = "", signature = ""] = (yield* sign(claims)).split(".")
      const parse = JSON.parse
      let parsed = 0
      JSON.parse = (json: string) => {
        parsed++
        return parse(json)
      }
      const header = Base64Url.encode(`{"alg":"EdDSA","typ":"JWT","x":${"[".repeat(32)}${"]".repeat(32)}}`)
      const refused = yield* Effect.ensuring(
        verify(`${header}.${payload}.${signature}`),
        Effect.sync(() => {
          JSON.parse = parse
        })
      )
      assert.deepStrictEqual([refused, parsed], [Option.none(), 0])
    })
  )

  it.effect("A token is refused when any byte of it was changed", () =>
    Effect.gen(function* () {
      const { sign, verify } = yield* server(NEW)
      const token = yield* sign(claims)
      for (let place = 0; place < token.length; place += 7) {
        if (token[place] === ".") continue
        const other = token[place] === "A" ? "B" : "A"
        assert.isTrue(
          Option.isNone(yield* verify(token.slice(0, place) + other + token.slice(place + 1))),
          String(place)
        )
      }
      // Four bits of the last letter mean nothing to a lenient decoder.
      const last = "AQgw".indexOf(token.at(-1) ?? "")
      assert.isTrue(Option.isNone(yield* verify(token.slice(0, -1) + "BRhx"[last])), "last letter")
      const [header, , signature] = token.split(".")
      const stranger = encode({
        iss: BASE_URL,
        sub: claims.sessionId,
        sid: claims.sessionId,
        amr: ["nano"],
        exp: 9e9
      })
      assert.isTrue(Option.isNone(yield* verify(`${header}.${stranger}.${signature}`)))
    })
  )

  it.effect("A token of another key is refused, with our key's id or its own", () =>
    Effect.gen(function* () {
      const { keySet, verify } = yield* server(NEW)
      const { privateKey, publicKey } = yield* promise(() => generateKeyPair("EdDSA", { extractable: true }))
      const jwk = yield* promise(() => exportJWK(publicKey))
      for (const header of [
        { kid: keySet.keys[0]!.kid },
        { kid: "mine" },
        {},
        { jwk },
        { kid: "mine", jwk }
      ]) {
        const forged = new SignJWT({ sid: claims.sessionId, amr: ["nano"] })
          .setProtectedHeader({ alg: "EdDSA", typ: "JWT", ...header })
          .setIssuer(BASE_URL)
          .setSubject(claims.ownerId)
          .setIssuedAt(0)
          .setExpirationTime(9_000_000_000)
          .sign(privateKey)
        assert.isTrue(Option.isNone(yield* verify(yield* promise(() => forged))))
      }
    })
  )

  it.effect("A token of another issuer or another secret is refused", () =>
    Effect.gen(function* () {
      const ours = yield* server(NEW)
      for (const other of [yield* server(NEW, "https://press.example"), yield* server(OLD)]) {
        assert.isTrue(Option.isNone(yield* ours.verify(yield* other.sign(claims))))
      }
    })
  )

  it.effect("A token without the claims of an owner's session is refused, even under our key", () =>
    Effect.gen(function* () {
      const { keySet, verify } = yield* server(NEW)
      const secret = Context.get(yield* started(configured(NEW)), ServerSecret)
      const seeds = yield* secret.keys("access tokens")
      const { kid, x } = keySet.keys[0]!
      const key = yield* promise(() =>
        importJWK({ kty: "OKP", crv: "Ed25519", x, d: Base64Url.encode(seeds[0]) }, "EdDSA")
      )
      const good = { iss: BASE_URL, sub: claims.ownerId, sid: claims.sessionId, amr: ["nano"], exp: 900 }
      const verified = (payload: JWTPayload, typ: string | undefined = "JWT") =>
        promise(() =>
          new SignJWT(payload).setProtectedHeader({ alg: "EdDSA", typ, kid } as never).sign(key)
        ).pipe(Effect.flatMap(verify), Effect.map(Option.isSome))
      assert.isTrue(yield* verified(good))
      assert.isFalse(yield* verified(good, "at+jwt"))
      const changes = [
        { iss: undefined },
        { sub: undefined },
        { sub: "me" },
        { sid: undefined },
        { sid: "1" },
        { amr: [] },
        { amr: ["pwd"] },
        { amr: "nano" },
        { amr: ["nano", "email"] },
        { exp: 0 }
      ]
      for (const change of changes) {
        assert.isFalse(
          yield* verified(JSON.parse(JSON.stringify({ ...good, ...change }))),
          JSON.stringify(change)
        )
      }
    })
  )

  it.effect("A token of a former secret verifies after a rotation, and the key set shows both keys", () =>
    Effect.gen(function* () {
      const before = yield* server(OLD)
      const after = yield* server(`${NEW}, ${OLD}`)
      assert.isTrue(Option.isSome(yield* after.verify(yield* before.sign(claims))))
      const token = yield* after.sign(claims)
      assert.isTrue(Option.isSome(yield* after.verify(token)))
      assert.isTrue(Option.isNone(yield* before.verify(token)))
      const [current, former] = after.keySet.keys
      assert.lengthOf(after.keySet.keys, 2)
      assert.deepStrictEqual([former], [before.keySet.keys[0]])
      assert.strictEqual(decodeProtectedHeader(token).kid, current!.kid)
      assert.isTrue(Option.isNone(yield* (yield* server(NEW)).verify(yield* before.sign(claims))))
    })
  )

  it.effect("A token verifies under a secret that is named twice", () =>
    Effect.gen(function* () {
      const { keySet, sign, verify } = yield* server(`${NEW},${NEW}`)
      assert.lengthOf(keySet.keys, 1)
      assert.isTrue(Option.isSome(yield* verify(yield* sign(claims))))
    })
  )
})
