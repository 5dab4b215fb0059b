import { Context } from "effect"
import { HttpRouter } from "effect/http"

/** Returns the path template of the route that answers; `unknown` when none matched. The router puts it there. */
export const routeOf = (context: Context.Context<never>): string =>
  Context.getOrUndefined(context, HttpRouter.RouteContext)?.route.path ?? "unknown"
