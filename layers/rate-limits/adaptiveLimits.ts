import { Effect } from "effect"

const unused = Effect.die(new Error("Limits that adapt to answers are not used, so they have no store"))

/** The members of a store for limits that adapt to answers. The service has no such limits. */
export const adaptiveLimits = { adaptiveConsume: () => unused, adaptiveFeedback: () => unused }
