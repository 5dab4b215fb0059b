import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { JsonFamily } from "../../platform/errors/families.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerOrKey } from "../../platform/security/middleware.ts"
import { Me } from "./Me.ts"

/** Answers either credential; an owner session sees more than a Publishing key (spec 2.6, 5.2). */
export class MeApi extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("read", "/api/v1/me", { success: Me }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the credential's owner, permissions and publication blockers",
        description:
          "Explains the credential: its owner, its permissions, its limits, and what keeps the owner from publishing. A Publishing key sees less."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerOrKey)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Me",
      description: "Identity, authority, limits, expiry and publication blockers"
    })
  ) {}
