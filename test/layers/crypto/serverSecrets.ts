import { Layer, Redacted } from "effect"
import { Aead, Kdf, SecureRandom } from "effect/crypto"
import { ServerSecret } from "../../../layers/crypto/ServerSecret.ts"

/** Two secrets of an operator who rotates them. */
export const [OLD, NEW] = [
  "an old secret of thirty-two bytes..",
  "a new secret of thirty-two bytes.."
] as const

/** The secret of a configuration: one, or several separated by commas. */
export const configured = (secrets: string) => ServerSecret.layer(Redacted.make(secrets))

/** A layer over real cryptography, made again as by a starting process. It ends with the scope. */
export const started = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Layer.build(
    Layer.fresh(layer).pipe(
      Layer.provide([Aead.layerWebCrypto, Kdf.layerWebCrypto]),
      Layer.provide(SecureRandom.layerWebCrypto)
    )
  )
