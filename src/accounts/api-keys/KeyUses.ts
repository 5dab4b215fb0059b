import { Context, type Effect } from "effect"
import type { ApiKeyId, OwnerId } from "../../../schemas/platform/Ids.ts"

/**
 * Ends the work that Publishing keys began and that waits. The wings above answer. Each method belongs to the transaction that
 * changes the key.
 */
export class KeyUses extends Context.Service<
  KeyUses,
  {
    /** Holds off other changes of what waits under the keys of an owner. Comes before every other lock. */
    readonly hold: (owner: OwnerId) => Effect.Effect<void>
    /** Ends what waits under a key that is about to be revoked. `hold` comes before it, and the lock on the key after it. */
    readonly revoking: (owner: OwnerId, keyId: string, at: Date) => Effect.Effect<void>
    /** Hands what waits under a key to the one that took its place. Returns false when something waits until after its expiry. */
    readonly rotated: (owner: OwnerId, from: ApiKeyId, to: ApiKeyId) => Effect.Effect<boolean>
  }
>()("pennypress/accounts/api-keys/KeyUses") {}
