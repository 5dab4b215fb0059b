import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { JsonFamily } from "../platform/errors/families.ts"
import { JsonRateLimits, rateLimit } from "../platform/rate-limits/middleware.ts"
import { PublicRead } from "../platform/security/middleware.ts"
import { ToolServerRelease } from "./ToolServerRelease.ts"

/** Operations about tool servers themselves (spec 4.8). Their tools use the other operations. */
export class ToolServerApi extends HttpApiGroup.make("toolServer")
  .add(
    HttpApiEndpoint.get("release", "/api/tool-server/release", { success: ToolServerRelease }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the newest release of the tool servers",
        description:
          "Returns the newest release of the tool servers. The hosted one is at `/mcp` (Model Context Protocol, Streamable HTTP, no credential); a local tool server asks here whether there is a newer release."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Tool servers",
      description: "Releases of the tool servers, which wrap these operations for AI agents"
    })
  ) {}
