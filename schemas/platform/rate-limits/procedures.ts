import { RpcMiddleware } from "effect/rpc"
import { RateLimited } from "../errors/common.ts"
import type { CurrentPublisher } from "../security/authorities.ts"

/** Counts calls against the limit of their procedure. A group adds it before `Publisher`, and so runs it inside that check. */
export class ProcedureRateLimits extends RpcMiddleware.Service<
  ProcedureRateLimits,
  { requires: CurrentPublisher }
>()("pennypress/schemas/platform/rate-limits/ProcedureRateLimits", { error: RateLimited }) {}
