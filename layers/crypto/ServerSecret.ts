import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, FileSystem, Layer, Path, Redacted, Schema } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"

/** Fewer characters than this could be guessed. */
const SECRET_CHARACTERS_MIN = 32

/** Each secret of a text that has them with commas between, once: a key set must not name one key twice. */
const secretsOf = (text: string) => [...new Set(text.split(",").map((secret) => secret.trim()))]

/** Whether a text is one secret or several with commas between, each long enough to be one. */
export const areServerSecrets = (text: string): boolean =>
  secretsOf(text).every((secret) => secret.length >= SECRET_CHARACTERS_MIN)

/** The file of the generated secret holds none: it was cut short or edited, and its keys would be known to anybody. */
export class ServerSecretUnusable extends Schema.TaggedError<ServerSecretUnusable>()("ServerSecretUnusable", {
  message: Schema.String
}) {}

/** Keys that the server derives from its secrets, one purpose each: the current secret's first, then former ones'. */
export class ServerSecret extends Context.Service<
  ServerSecret,
  {
    /** 32 bytes per secret, different for every purpose (HKDF-SHA-256). */
    readonly keys: (purpose: string) => Effect.Effect<readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]>
  }
>()("pennypress/layers/crypto/ServerSecret") {
  /** From the secret of the configuration: one, or several with commas between. */
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

  /** From the file `server-secret` of the data directory, made at the first start. */
  static readonly layerFile = (directory: string) =>
    Layer.unwrap(Effect.map(readOrMake(directory), ServerSecret.layer))
}

const readOrMake = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  const file = path.join(directory, "server-secret")

  const read = Effect.gen(function* () {
    const text = yield* fs.readFileString(file)
    if (areServerSecrets(text)) return Redacted.make(text.trim())
    return yield* new ServerSecretUnusable({
      message: `${file} holds no secret of at least ${SECRET_CHARACTERS_MIN} characters. Restore it from a backup, or remove it to have a new one made: that ends every session`
    })
  })
  if (yield* fs.exists(file)) return yield* read

  // Written whole beside its place and linked into it: the first of two processes wins, and both read its secret.
  yield* fs.makeDirectory(directory, { recursive: true })
  const pending = path.join(directory, `.server-secret-${yield* random.uuidV4()}`)
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
