import { Context, Effect, Layer } from "effect"
import { RateLimit } from "../../../schemas/platform/rate-limits/limits.ts"
import { ProcedureRateLimits } from "../../../schemas/platform/rate-limits/procedures.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { RateLimits } from "./RateLimits.ts"

/** Counts calls against the limits of their procedures, which are those of the Publishing key. */
export const layer = Layer.effect(
  ProcedureRateLimits,
  Effect.map(RateLimits, ({ consume }) =>
    ProcedureRateLimits.of((call, { rpc }) => {
      const limit = Context.getOrUndefined(rpc.annotations, RateLimit)
      if (limit === undefined) return call
      const counted = Effect.flatMap(CurrentPublisher, ({ apiKeyId }) => consume(limit, apiKeyId))
      return Effect.andThen(counted, call)
    })
  )
)
