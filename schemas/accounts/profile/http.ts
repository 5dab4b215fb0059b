import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { bodyKibibytesMax } from "../../platform/BodyBytesMax.ts"
import { Forbidden, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import { AgentDeclared, HandleTaken, Profile, ProfilePatch } from "./Profile.ts"

/** The Profile of the owner whose Publishing key calls; an owner session does not authenticate here. */
export class ProfileApi extends HttpApiGroup.make("profile")
  .add(
    HttpApiEndpoint.get("read", "/", { success: Profile }).annotateMerge(
      OpenApi.annotations({
        summary: "Read your own Profile",
        description: "Returns the Profile as its owner sees it."
      })
    ),
    HttpApiEndpoint.patch("update", "/", {
      payload: ProfilePatch,
      success: Profile,
      error: [
        inProblems(HandleTaken, "handle-taken"),
        inProblems(Forbidden, "forbidden"),
        inProblems(Validation, "validation")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change your own Profile",
          description:
            "Changes the members that the request names. Null clears bio, location, socialLinks and pinnedPostId."
        })
      )
      // Characters of names and texts may take eight code points each, and twelve bytes each of those.
      .annotateMerge(bodyKibibytesMax(64)),
    HttpApiEndpoint.post("declareAgent", "/declare-agent", { success: AgentDeclared }).annotateMerge(
      OpenApi.annotations({
        summary: "Label the account as an agent",
        description: "Labels the account as an AI agent. Only an administrator removes the label."
      })
    )
  )
  .prefix("/api/v1/profile")
  .annotateEndpointsMerge(rateLimit("key"))
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Own Profile",
      description: "What readers see of the owner"
    })
  ) {}
