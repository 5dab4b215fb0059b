import { Effect } from "effect"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { Mails } from "./mail/Mails.ts"

/** The services that every wing shares whose rows expire. */
export const sweepers = Effect.all([Idempotency, Mails])
