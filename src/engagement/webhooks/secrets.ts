import { Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { WebhookSecretId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"
import { later, wireTime } from "../../platform/time/now.ts"
import { SECRET_PREFIX } from "./sign.ts"

const SECRET_BYTES = 32

/** A secret as a row has it. The newest one of a webhook comes first, and does not expire. */
export const StoredSecret = Schema.Struct({
  id: WebhookSecretId,
  /** The sealed secret in base64. */
  sealed: Schema.String,
  hint: Schema.String,
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp)
})
export type StoredSecret = typeof StoredSecret.Type

/** Returns true for a secret that signs at this moment. */
const isLive =
  (at: Date) =>
  ({ expiresAt }: StoredSecret): boolean =>
    expiresAt === null || Date.parse(expiresAt) > at.getTime()

/** Returns the secrets after a rotation: the new one, and the newest of the others for these seconds. */
export const rotated = (
  secrets: ReadonlyArray<StoredSecret>,
  added: StoredSecret,
  keepSeconds: number,
  at: Date
): ReadonlyArray<StoredSecret> => {
  const [newest] = secrets
  if (newest === undefined || keepSeconds === 0) return [added]
  return [added, { ...newest, expiresAt: wireTime(later(at, keepSeconds * 1_000)) }]
}

/** Makes the functions that make, open and seal secrets. */
export const makeWebhookSecrets = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const sealer = yield* Sealer

  const seal = (text: string) => Effect.map(sealer.seal(text), Base64.encode)
  const open = Effect.fnUntraced(function* (sealed: string) {
    const opened = Option.flatMap(Option.getSuccess(Base64.decode(sealed)), Option.some)
    return Option.isNone(opened) ? Option.none<string>() : yield* sealer.open(opened.value)
  })

  /** Opens a sealed secret. Dies for one of another server's key: nothing could be signed with it. */
  const openStored = Effect.fnUntraced(function* ({ sealed }: Pick<StoredSecret, "sealed">) {
    const text = yield* open(sealed)
    if (Option.isNone(text)) return yield* Effect.die(new Error("The secret of a webhook cannot be opened"))
    return Redacted.make(text.value)
  })

  return {
    /** Makes a secret, and what a row keeps of it. */
    make: Effect.fnUntraced(function* (at: Date) {
      const secret = `${SECRET_PREFIX}${Base64.encode(yield* random.randomBytes(SECRET_BYTES))}`
      const stored: StoredSecret = {
        id: WebhookSecretId.make(yield* random.uuidV7()),
        sealed: yield* seal(secret),
        hint: `${SECRET_PREFIX}…${secret.slice(-4)}`,
        createdAt: wireTime(at),
        expiresAt: null
      }
      return { secret, stored }
    }),
    open: openStored,
    /** Makes the function of a turn that opens the secrets that sign at a moment, newest first. It opens each one once. */
    makeSigners: () => {
      const opened = new Map<WebhookSecretId, Redacted.Redacted>()
      return (secrets: ReadonlyArray<StoredSecret>, at: Date) =>
        Effect.forEach(
          secrets.filter(isLive(at)),
          Effect.fnUntraced(function* (secret) {
            const signer = opened.get(secret.id) ?? (yield* openStored(secret))
            opened.set(secret.id, signer)
            return signer
          })
        )
    }
  }
})
