import { Schema } from "effect"
import type { Transaction } from "../ports/StateStore.ts"

/** Ways in which an owner proves who they are. */
export const IdentityMethods = Schema.Literals(["local-nano", "external-nano", "email"])
export type IdentityMethod = typeof IdentityMethods.Type

const IdentityRow = Schema.Struct({
  owner_id: Schema.String,
  profile_id: Schema.String,
  handle: Schema.String,
  method: IdentityMethods,
  wallet_address: Schema.NullOr(Schema.String)
})

/** The owner that this state directory acts for. */
export interface Identity {
  readonly ownerId: string
  readonly profileId: string
  readonly handle: string
  readonly method: IdentityMethod
  readonly walletAddress: string | null
}

const decode = Schema.decodeUnknownSync(IdentityRow)

/** Returns the selected identity. */
export const readIdentity = (tx: Transaction): Identity | undefined => {
  const found = tx.first(`select * from identity`)
  if (found === undefined) return undefined
  const row = decode(found)
  return {
    ownerId: row.owner_id,
    profileId: row.profile_id,
    handle: row.handle,
    method: row.method,
    walletAddress: row.wallet_address
  }
}

/** Selects an identity. An earlier one is not replaced: its row changes only for the same owner. */
export const saveIdentity = (tx: Transaction, identity: Identity): boolean =>
  tx.run(
    `insert into identity (one, owner_id, profile_id, handle, method, wallet_address, selected_at)
     values (1, ?, ?, ?, ?, ?, ?)
     on conflict (one) do update set handle = excluded.handle
     where identity.owner_id = excluded.owner_id`,
    identity.ownerId,
    identity.profileId,
    identity.handle,
    identity.method,
    identity.walletAddress,
    tx.now
  ) === 1
