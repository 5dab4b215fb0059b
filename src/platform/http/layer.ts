import { Layer } from "effect"
import { RpcSerialization } from "effect/rpc"
import { AssetRoutes } from "./assets.ts"
import * as Docs from "./docs.ts"
import { HealthRoutes } from "./health.ts"
import { MetricsRoutes } from "./metrics.ts"
import { ProblemPagesRoutes } from "./problemPages.ts"
import * as ProcedureFailures from "./procedures.ts"
import * as RequestEnvelope from "./RequestEnvelope.ts"

/** Routes about the service itself, and the surroundings of every request. */
export const routes = Layer.mergeAll(
  AssetRoutes,
  Docs.page.pipe(Layer.provide(Docs.pageMiddleware)),
  Docs.document,
  HealthRoutes,
  MetricsRoutes,
  ProblemPagesRoutes,
  RequestEnvelope.layer
)

/** Surroundings of every procedure. */
export const procedures = Layer.merge(ProcedureFailures.layer, RpcSerialization.layerNdjson)
