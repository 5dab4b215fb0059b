import { Effect } from "effect"
import { FeedChanges } from "./feed-changes/FeedChanges.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { Mails } from "./mail/Mails.ts"

/** The services that every wing shares whose rows expire. */
export const sweepers = Effect.all([FeedChanges, Idempotency, Mails])
