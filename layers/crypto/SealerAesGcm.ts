import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer } from "effect"
import { Aead, SecureRandom } from "effect/crypto"
import { Sealer } from "../../src/platform/ports/Sealer.ts"
import { ServerSecret } from "./ServerSecret.ts"

const NONCE_BYTES = 12

/** AES-256-GCM under a key of the server: nonce, ciphertext and tag in one. Opens what a former secret sealed. */
export const layer = Layer.effect(
  Sealer,
  Effect.gen(function* () {
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const bytes = yield* (yield* ServerSecret).keys("sealing")
    const keys = yield* Effect.forEach(bytes, (it) => Aead.key(Aead.aes256Gcm, it))
    const [current] = keys
    if (current === undefined) return yield* Effect.die("a server has a secret")

    return Sealer.of({
      seal: Effect.fn("SealerAesGcm.seal")(function* (text) {
        const nonce = yield* random.randomBytes(NONCE_BYTES)
        return concatBytes(nonce, yield* aead.encrypt(current, utf8ToBytes(text), { nonce }))
      }, Effect.orDie),

      open: Effect.fn("SealerAesGcm.open")((sealed) => {
        const nonce = sealed.slice(0, NONCE_BYTES)
        const open = (key: Aead.Key) => aead.decrypt(key, sealed.slice(NONCE_BYTES), { nonce })
        return Effect.firstSuccessOf(keys.map(open)).pipe(
          Effect.map((bytes) => new TextDecoder().decode(bytes)),
          Effect.option
        )
      })
    })
  })
)
