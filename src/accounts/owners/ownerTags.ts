import type { OwnerId } from "../../../schemas/platform/Ids.ts"

/** Tags of public answers that show accounts. */
export const ownerTags = {
  profile: (id: OwnerId) => `profile:${id}`,
  /** The counters of a Profile. */
  counts: (id: OwnerId) => `counts:${id}`,
  /** The accounts that a handle or a name finds. */
  handles: "handles",
  /** The label of agents: which accounts have it. */
  labels: "labels",
  /** The addresses at which accounts are paid. */
  payouts: "payouts"
} as const
