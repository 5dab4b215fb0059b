import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../schemas/Api.ts"
import * as RpcRoutes from "./accounts/administration/routes.ts"
import * as Accounts from "./accounts/layer.ts"
import * as HttpSecurity from "./accounts/security/http.ts"
import * as RpcSecurity from "./accounts/security/rpc.ts"
import * as Engagement from "./engagement/layer.ts"
import * as Mcp from "./mcp/layer.ts"
import * as Payments from "./payments/layer.ts"
import { routerConfig } from "./platform/http/exactPaths.ts"
import * as Families from "./platform/http/families.ts"
import * as Http from "./platform/http/layer.ts"
import { tracing } from "./platform/http/tracing.ts"
import * as Platform from "./platform/layer.ts"
import * as RateLimiting from "./platform/rate-limits/http.ts"
import * as ProcedureRateLimits from "./platform/rate-limits/rpc.ts"
import { housekeeping } from "./platform/work/housekeeping.ts"
import * as Publishing from "./publishing/layer.ts"
import * as Web from "./web/layer.ts"

/** The domain, over any database and ports. */
export const domain = Web.layer.pipe(
  Layer.provideMerge(Engagement.layer),
  Layer.provideMerge(Payments.layer),
  Layer.provideMerge(Publishing.authoring),
  Layer.provideMerge(Layer.merge(Engagement.hooks, Payments.postFinance)),
  Layer.provideMerge(Platform.layer),
  Layer.provide(Engagement.mailBodies),
  Layer.provideMerge(Platform.base),
  Layer.provideMerge(Http.paths)
)

const handlers = Layer.mergeAll(
  Accounts.handlers,
  Publishing.handlers,
  Engagement.handlers,
  Payments.handlers,
  Web.handlers,
  Mcp.handlers
).pipe(Layer.provide([HttpSecurity.layer, Families.layer, RateLimiting.layer]))

const procedures = Layer.mergeAll(
  Accounts.procedures,
  Engagement.procedures,
  Payments.procedures,
  Publishing.procedures,
  Http.procedures,
  RpcSecurity.layer,
  ProcedureRateLimits.layer
)

/** Every route of the service. Tests and the server mount this same layer. */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
  Accounts.routes,
  Engagement.routes,
  Payments.routes,
  Publishing.routes,
  Web.routes,
  Mcp.routes,
  RpcRoutes.layer.pipe(Layer.provide(procedures)),
  Http.routes
)

/** Removes what expires, and compares counters. */
export const HousekeepingWorker = housekeeping(
  Effect.all([
    Accounts.sweepers,
    Engagement.sweepers,
    Payments.sweepers,
    Platform.sweepers,
    Publishing.sweepers
  ])
)

/** Supervised fibers alongside requests. */
export const background = Layer.mergeAll(
  HousekeepingWorker,
  Platform.workers,
  Publishing.workers,
  Engagement.workers,
  Payments.workers
)

const options = { routerConfig, disableLogger: true, disableListenLog: true }

/** The service over an `HttpServer`. */
export const http = HttpRouter.serve(routes, options).pipe(Layer.provide(tracing))
