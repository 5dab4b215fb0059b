import { ed25519 } from "@noble/curves/ed25519.js"
import { DateTime, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { calculateJwkThumbprint, createLocalJWKSet, importJWK, jwtVerify, SignJWT } from "jose"
import { PublicBaseUrl } from "../../schemas/platform/errors/PublicBaseUrl.ts"
import { OwnerId, SessionId } from "../../schemas/platform/Ids.ts"
import { isTooDeep } from "../../schemas/platform/jsonBounds.ts"
import { ACCESS_TOKEN_SECONDS, AccessTokens } from "../../src/platform/ports/AccessTokens.ts"
import { ServerSecret } from "./ServerSecret.ts"

const Claims = Schema.Struct({
  sub: OwnerId,
  sid: SessionId,
  amr: Schema.Tuple([Schema.Literals(["nano", "email"])])
})
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** A signature of 64 bytes leaves four bits of its last letter unused: a token has one spelling, with these bits zero. */
const CANONICAL_END = /[AQgw]$/

/** Returns true for a token whose header `jose` can parse safely. It parses the header before it checks the signature. */
const hasShallowHeader = (token: string) =>
  Result.match(Base64Url.decode(token.split(".", 1)[0] ?? ""), {
    onFailure: () => false,
    onSuccess: (json) => !isTooDeep(json)
  })

const publicJwk = (seed: Uint8Array) =>
  Effect.gen(function* () {
    const x = Base64Url.encode(ed25519.getPublicKey(seed))
    const kid = yield* Effect.promise(() => calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x }))
    return { kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig", kid, x } as const
  })

/**
 * Access tokens by `jose`, with Ed25519 keys derived from the server's secrets. Every process of a deployment signs
 * alike. The key of a former secret verifies tokens until they expire.
 */
export const layer = Layer.effect(
  AccessTokens,
  Effect.gen(function* () {
    const issuer = yield* PublicBaseUrl
    const random = yield* SecureRandom.SecureRandom
    const seeds = yield* (yield* ServerSecret).keys("access tokens")
    const keySet = { keys: yield* Effect.forEach(seeds, publicJwk) }
    const [current] = keySet.keys
    const kid = current?.kid ?? ""
    const signingKey = yield* Effect.promise(() =>
      importJWK({ kty: "OKP", crv: "Ed25519", x: current?.x ?? "", d: Base64Url.encode(seeds[0]) }, "EdDSA")
    )
    const verificationKeys = createLocalJWKSet(keySet)

    return AccessTokens.of({
      keySet,

      sign: Effect.fn("AccessTokensJose.sign")(function* ({ method, ownerId, sessionId }) {
        const id = yield* random.uuidV7()
        const issuedAt = Math.floor((yield* DateTime.now).epochMilliseconds / 1000)
        return yield* Effect.promise(() =>
          new SignJWT({ sid: sessionId, amr: [method] })
            .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid })
            .setIssuer(issuer)
            .setSubject(ownerId)
            .setJti(id)
            .setIssuedAt(issuedAt)
            .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
            .sign(signingKey)
        )
      }),

      verify: Effect.fn("AccessTokensJose.verify")(function* (token) {
        if (!CANONICAL_END.test(Redacted.value(token)) || !hasShallowHeader(Redacted.value(token))) {
          return Option.none()
        }
        const currentDate = DateTime.toDateUtc(yield* DateTime.now)
        const verified = yield* Effect.option(
          Effect.tryPromise(() =>
            jwtVerify(Redacted.value(token), verificationKeys, {
              issuer,
              algorithms: ["EdDSA"],
              typ: "JWT",
              currentDate
            })
          )
        )
        return Option.flatMap(verified, ({ payload }) => decodeClaims(payload)).pipe(
          Option.map(({ amr: [method], sid, sub }) => ({ ownerId: sub, sessionId: sid, method }))
        )
      })
    })
  })
)
