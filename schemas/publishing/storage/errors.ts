import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The account stores as many bytes as it may: sections of Posts, and images. */
export class StorageQuotaReached extends ServiceError<StorageQuotaReached>()("StorageQuotaReached", {
  usedBytes: Schema.Int,
  maxBytes: Schema.Int
}) {}
