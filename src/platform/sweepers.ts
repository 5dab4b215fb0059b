import { Effect } from "effect"
import { FeedChanges } from "./feed-changes/FeedChanges.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { Mails } from "./mail/Mails.ts"

/** The services with expiring rows that every wing shares. */
export const sweepers = Effect.all([FeedChanges, Idempotency, Mails])
