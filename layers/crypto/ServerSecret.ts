import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, FileSystem, Layer, Path, Redacted, Schema } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"

/** Minimum length of a secret. */
const SECRET_CHARACTERS_MIN = 32

/** Returns each secret of a comma-separated text once: a key set must not name one key twice. */
export const secretsOf = (text: string) => [...new Set(text.split(",").map((secret) => secret.trim()))]

/** Returns true for one secret or several separated by commas, each long enough. */
export const areServerSecrets = (text: string): boolean =>
  secretsOf(text).every((secret) => secret.length >= SECRET_CHARACTERS_MIN)

/**
 * The file of the generated secret holds no usable secret: it was cut short or edited, and its keys could be guessed.
 */
export class ServerSecretUnusable extends Schema.TaggedError<ServerSecretUnusable>()("ServerSecretUnusable", {
  message: Schema.String
}) {}

/** Keys derived from the server's secrets, one for each purpose: that of the current secret first, then former ones. */
export class ServerSecret extends Context.Service<
  ServerSecret,
  {
    /** Returns 32 bytes for each secret, different for every purpose (HKDF-SHA-256). */
    readonly keys: (purpose: string) => Effect.Effect<readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]>
  }
>()("pennypress/layers/crypto/ServerSecret") {
  /** The secret of the configuration: one, or several separated by commas. */
  static readonly layer = (secrets: Redacted.Redacted) =>
    Layer.effect(
      ServerSecret,
      Effect.gen(function* () {
        const kdf = yield* Kdf.Kdf
        const [first = "", ...former] = secretsOf(Redacted.value(secrets))

        const derive = (secret: string, purpose: string) =>
          kdf
            .derive(Kdf.hkdfSha256, utf8ToBytes(secret), {
              salt: utf8ToBytes("pennypress"),
              info: utf8ToBytes(purpose),
              length: 32
            })
            .pipe(Effect.orDie)

        return ServerSecret.of({
          keys: Effect.fnUntraced(function* (purpose) {
            return [
              yield* derive(first, purpose),
              ...(yield* Effect.forEach(former, (secret) => derive(secret, purpose)))
            ] as const
          })
        })
      })
    )

  /** The secret in the file `server-secret` of the data directory, which the first start creates. */
  static readonly layerFile = (directory: string) =>
    Layer.unwrap(
      Effect.map(
        readOrMakeSecret(
          directory,
          "server-secret",
          "The next start then generates a new one, which ends every session"
        ),
        ServerSecret.layer
      )
    )
}

/** Returns the secret in a file of the data directory, which the first start creates for this account alone. */
export const readOrMakeSecret = Effect.fnUntraced(function* (
  directory: string,
  name: string,
  consequence: string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  const file = path.join(directory, name)

  const read = Effect.gen(function* () {
    const text = yield* fs.readFileString(file)
    if (areServerSecrets(text)) return Redacted.make(text.trim())
    return yield* new ServerSecretUnusable({
      message: `${file} does not hold a secret of at least ${SECRET_CHARACTERS_MIN} characters. Restore it from a backup, or remove it. ${consequence}`
    })
  })
  if (yield* fs.exists(file)) return yield* read

  // Writes the whole file beside its place and links it: the first of two processes wins, and both read its secret.
  yield* fs.makeDirectory(directory, { recursive: true })
  const pending = path.join(directory, `.${name}-${yield* random.uuidV4()}`)
  const secret = `${bytesToHex(yield* random.randomBytes(32))}\n`
  yield* Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* fs.open(pending, { flag: "wx", mode: 0o600 })
      yield* handle.writeAll(utf8ToBytes(secret))
      // A power cut after the link must not leave an empty file.
      yield* handle.sync
    })
  )
  yield* fs.link(pending, file).pipe(Effect.ignore)
  yield* fs.remove(pending)
  return yield* read
})
