import { Effect } from "effect"
import { Counters } from "../platform/counters/Counters.ts"
import { Notifications } from "./notifications/feed/Notifications.ts"

/** The services of the wing whose rows expire, and the counters, which a sweep compares with their rows. */
export const sweepers = Effect.all([Notifications, Counters])
