import { readFileSync } from "node:fs"
import { Schema } from "effect"

const Key = { privateKey: Schema.String, publicKey: Schema.String }

/** The content of `vectors.json`: published values of Nano, each with its source. */
const Vectors = Schema.Struct({
  keys: Schema.Array(Schema.Struct({ ...Key, address: Schema.String })),
  seeds: Schema.Array(
    Schema.Struct({ ...Key, seed: Schema.String, index: Schema.Int, address: Schema.String })
  ),
  bip44: Schema.Array(
    Schema.Struct({
      ...Key,
      mnemonic: Schema.String,
      passphrase: Schema.String,
      path: Schema.String,
      bip39Seed: Schema.String,
      address: Schema.String
    })
  ),
  addresses: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      valid: Schema.Boolean,
      publicKey: Schema.NullOr(Schema.String),
      why: Schema.String
    })
  ),
  blocks: Schema.Array(
    Schema.Struct({
      block: Schema.Record(Schema.String, Schema.String),
      hash: Schema.String,
      signatureValid: Schema.NullOr(Schema.Boolean),
      workDifficulty: Schema.NullOr(Schema.String),
      deterministicSignatureMatches: Schema.optionalKey(Schema.Boolean)
    })
  ),
  signatures: Schema.Array(
    Schema.Struct({ privateKey: Schema.String, digest: Schema.String, signature: Schema.String })
  ),
  noms: Schema.Array(
    Schema.Struct({
      privateKey: Schema.NullOr(Schema.String),
      account: Schema.String,
      message: Schema.String,
      messageUtf8Hex: Schema.String,
      digest: Schema.String,
      signature: Schema.String
    })
  ),
  legacyMessage: Schema.Array(
    Schema.Struct({
      format: Schema.String,
      privateKey: Schema.String,
      message: Schema.String,
      digest: Schema.String,
      signature: Schema.String
    })
  ),
  work: Schema.Array(
    Schema.Struct({
      root: Schema.String,
      work: Schema.String,
      difficulty: Schema.String,
      validSend: Schema.Boolean,
      validReceive: Schema.Boolean,
      validEpoch1: Schema.Boolean
    })
  ),
  units: Schema.Array(Schema.Struct({ xno: Schema.String, raw: Schema.String })),
  negativeSignatures: Schema.Array(
    Schema.Struct({
      why: Schema.String,
      address: Schema.String,
      publicKey: Schema.String,
      signature: Schema.String,
      mustVerify: Schema.Boolean
    })
  )
})

export const vectors = Schema.decodeSync(Schema.fromJsonString(Vectors))(
  readFileSync(new URL("vectors.json", import.meta.url), "utf8")
)
