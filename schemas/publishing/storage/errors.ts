import { Schema } from "effect"
import { Problem } from "../../platform/errors/Problem.ts"

/** The account stores as many bytes as it may: sections of Posts, and images. */
export class StorageQuotaReached extends Problem<StorageQuotaReached>()(
  "StorageQuotaReached",
  "storage-quota-reached",
  { usedBytes: Schema.Int, maxBytes: Schema.Int }
) {}
