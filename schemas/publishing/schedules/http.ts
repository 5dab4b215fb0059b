import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountRestricted, NotFound, RevisionConflict, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { PostId } from "../../platform/Ids.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import {
  MalformedRevision,
  PostPublished,
  PostWithdrawn,
  ProfileIncomplete,
  PublicationIncomplete,
  ScheduleLimitReached
} from "../posts/errors.ts"
import { ScheduleRequest, ScheduleResult } from "../posts/Schedule.ts"

const params = { postId: PostId }

/** The moments at which drafts become public by themselves, as the authors choose them. */
export class SchedulesApi extends HttpApiGroup.make("schedules")
  .add(
    HttpApiEndpoint.put("save", "/api/v1/posts/:postId/schedule", {
      params,
      headers: {
        "x-post-revision": Schema.optionalKey(Schema.String),
        "if-match": Schema.optionalKey(Schema.String)
      },
      payload: ScheduleRequest,
      success: ScheduleResult,
      error: [
        inProblems(NotFound, "not-found"),
        inProblems(Validation, "validation"),
        inJson(MalformedRevision, "malformed_revision"),
        inProblems(RevisionConflict, "revision-conflict"),
        inProblems(PostPublished, "post-published"),
        inProblems(PostWithdrawn, "post-withdrawn"),
        inProblems(AccountRestricted, "account-restricted"),
        inProblems(ProfileIncomplete, "profile-incomplete"),
        inProblems(PublicationIncomplete, "publication-incomplete"),
        inProblems(ScheduleLimitReached, "schedule-limit-reached")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Publish a draft later",
        description:
          "Makes a complete draft public at a moment, with the checks of a publication now and then. Another moment moves it, and a repeat changes nothing. The schedule ends with the key: its revocation cancels the publication, and its rotation keeps it."
      })
    ),
    HttpApiEndpoint.delete("remove", "/api/v1/posts/:postId/schedule", {
      params,
      success: ScheduleResult,
      error: inProblems(NotFound, "not-found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Cancel a later publication",
        description: "Ends the schedule of a draft, which stays a draft. Safe to repeat."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("key"))
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Publish later",
      description: "Drafts that become public at a moment of their author"
    })
  ) {}
