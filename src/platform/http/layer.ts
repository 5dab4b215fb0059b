import { Effect, Layer } from "effect"
import { RpcSerialization } from "effect/rpc"
import { ProcedureFailures } from "../../../schemas/platform/errors/procedures.ts"
import { AssetRoutes } from "./assets.ts"
import { hideDefect } from "./defects.ts"
import { HealthRoutes } from "./health.ts"
import { MetricsRoutes } from "./metrics.ts"
import { ProblemPagesRoutes } from "./problemPages.ts"
import * as RequestEnvelope from "./RequestEnvelope.ts"
import { ServicePaths } from "./ServicePaths.ts"

/** Answers what the handler of a procedure leaves unanswered. */
const failures = Layer.succeed(ProcedureFailures, (call) => Effect.catchDefect(call, hideDefect))

/** The paths of the service, which routes declare. */
export const paths = ServicePaths.layer

/** Routes about the service itself, and the surroundings of every request. */
export const routes = Layer.mergeAll(
  AssetRoutes,
  HealthRoutes,
  MetricsRoutes,
  ProblemPagesRoutes,
  RequestEnvelope.layer
)

/** Surroundings of every procedure. */
export const procedures = Layer.merge(failures, RpcSerialization.layerNdjson)
