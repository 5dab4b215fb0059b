import type { Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"

/**
 * Erases up to `limit` rows of an owner whose account is deleted, or what such rows tell of the owner. Returns true when it
 * changed something: there may be more. Safe to repeat. The feature that writes the table has it.
 */
export type EraseSome = (owner: OwnerId, limit: number) => Effect.Effect<boolean>
