import { Redacted, Schema } from "effect"
import type { Transaction } from "../ports/StateStore.ts"

/** Secrets of the identity. A signed payment is named after its intent. */
export type CredentialName =
  | "wallet-seed"
  | "access-token"
  | "refresh-token"
  | "publishing-key"
  | `payment:${string}`

const CredentialRow = Schema.Struct({
  value: Schema.String,
  key_id: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.Finite)
})

export interface Credential {
  readonly value: Redacted.Redacted
  /** The public part of a Publishing key. */
  readonly keyId: string | null
  /** Milliseconds since 1970; null if the secret has no expiry. */
  readonly expiresAt: number | null
}

const decode = Schema.decodeUnknownSync(CredentialRow)

/** Returns a secret. */
export const readCredential = (tx: Transaction, name: CredentialName): Credential | undefined => {
  const found = tx.first(`select value, key_id, expires_at from credentials where name = ?`, name)
  if (found === undefined) return undefined
  const { expires_at: expiresAt, key_id: keyId, value } = decode(found)
  return { value: Redacted.make(value), keyId, expiresAt }
}

/** Saves a secret. It replaces the one with the same name. */
export const saveCredential = (
  tx: Transaction,
  name: CredentialName,
  { expiresAt, keyId, value }: Credential
): void => {
  tx.run(
    `insert into credentials (name, value, key_id, expires_at, saved_at) values (?, ?, ?, ?, ?)
     on conflict (name) do update set value = excluded.value, key_id = excluded.key_id,
       expires_at = excluded.expires_at, saved_at = excluded.saved_at`,
    name,
    Redacted.value(value),
    keyId,
    expiresAt,
    tx.now
  )
}

/** Forgets a secret. */
export const removeCredential = (tx: Transaction, name: CredentialName): void => {
  tx.run(`delete from credentials where name = ?`, name)
}
