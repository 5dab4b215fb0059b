import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { KeyId } from "../../../schemas/platform/Ids.ts"
import { base62, base62Digit } from "./base62.ts"

const SECRET_BYTES = 32
const KEY_ID_DIGITS = 16
const EMAIL_CODE_DIGITS = 6

/** SHA-256 of a secret of 32 random bytes. The service stores only this. */
export const hashOf = (secret: Redacted.Redacted): Uint8Array => sha256(utf8ToBytes(Redacted.value(secret)))

/** Makes unpredictable values from the injected source of randomness. */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Makes 32 random bytes in base62: 43 characters. */
    readonly token: Effect.Effect<string>
    /** Makes the public part of a Publishing key: 16 random base62 characters. */
    readonly keyId: Effect.Effect<KeyId>
    /** Makes six random digits; every number is equally likely. */
    readonly emailCode: Effect.Effect<EmailCode>
    /** Makes random bytes in lower-case hexadecimal. */
    readonly hex: (bytes: number) => Effect.Effect<string>
  }
>()("pennypress/platform/secrets/Secrets") {
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const digit = Effect.map(random.intBetween(0, 61), base62Digit)
      return Secrets.of({
        token: Effect.map(random.randomBytes(SECRET_BYTES), base62),
        keyId: Effect.map(Effect.replicateEffect(digit, KEY_ID_DIGITS), (digits) =>
          KeyId.make(digits.join(""))
        ),
        emailCode: Effect.map(random.intBetween(0, 10 ** EMAIL_CODE_DIGITS - 1), (number) =>
          EmailCode.make(String(number).padStart(EMAIL_CODE_DIGITS, "0"))
        ),
        hex: (bytes) => Effect.map(random.randomBytes(bytes), bytesToHex)
      })
    })
  )
}
