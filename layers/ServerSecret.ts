import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, FileSystem, Layer, Option, Path, Redacted } from "effect"
import { Kdf, SecureRandom } from "effect/crypto"

/** Keys that the server derives from its secrets, one purpose each: the current secret's first, then former ones'. */
export class ServerSecret extends Context.Service<
  ServerSecret,
  {
    /** 32 bytes per secret, different for every purpose (HKDF-SHA-256). */
    readonly keys: (purpose: string) => Effect.Effect<readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]>
  }
>()("pennypress/layers/ServerSecret") {
  /** From the secret of the configuration: one, or several with commas between. */
  static readonly layer = (secrets: Redacted.Redacted) =>
    Layer.effect(
      ServerSecret,
      Effect.gen(function* () {
        const kdf = yield* Kdf.Kdf
        const [first = "", ...former] = Redacted.value(secrets)
          .split(",")
          .map((secret) => secret.trim())

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

  const read = fs.readFileString(file).pipe(
    Effect.map((text) => Redacted.make(text.trim())),
    Effect.option
  )
  const there = yield* read
  if (Option.isSome(there)) return there.value

  // Written whole beside its place and linked into it: the first of two processes wins, and both read its secret.
  yield* fs.makeDirectory(directory, { recursive: true })
  const pending = path.join(directory, `.server-secret-${yield* random.uuidV4()}`)
  yield* fs.writeFileString(pending, `${bytesToHex(yield* random.randomBytes(32))}\n`, { mode: 0o600 })
  yield* fs.link(pending, file).pipe(Effect.ignore)
  yield* fs.remove(pending)
  return Redacted.make((yield* fs.readFileString(file)).trim())
})
