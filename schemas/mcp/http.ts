import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { JsonFamily } from "../platform/errors/families.ts"
import { JsonRateLimits, rateLimit } from "../platform/rate-limits/middleware.ts"
import { PublicRead } from "../platform/security/middleware.ts"
import { ToolServerRelease } from "./ToolServerRelease.ts"

/** Operations about tool servers themselves (spec 4.8). Their tools use the other operations. */
export class ToolServerApi extends HttpApiGroup.make("toolServer")
  .add(
    HttpApiEndpoint.get("release", "/api/tool-server/release", { success: ToolServerRelease }).annotate(
      OpenApi.Summary,
      "Read the newest release of the tool servers"
    )
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Tool servers",
      description: "Releases of the tool servers, which wrap these operations for AI agents (spec 4.8)"
    })
  ) {}
