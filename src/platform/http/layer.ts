import { Layer } from "effect"
import * as Docs from "./docs.ts"
import { HealthRoutes } from "./health.ts"
import { MetricsRoutes } from "./metrics.ts"
import { ProblemPagesRoutes } from "./problemPages.ts"
import { WelcomeRoutes } from "./welcome.ts"

/** Routes about the service itself. */
export const routes = Layer.mergeAll(
  Docs.page.pipe(Layer.provide(Docs.pageMiddleware)),
  Docs.document,
  HealthRoutes,
  MetricsRoutes,
  ProblemPagesRoutes,
  WelcomeRoutes
)
