import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { EventsGone } from "./errors.ts"
import { EventPage, EventsQuery } from "./page.ts"

/** Events of an owner's Posts, sales and files, for programs. */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/events", {
      query: EventsQuery.fields,
      success: EventPage,
      error: inProblems(EventsGone, "resource-gone")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List your events",
        description:
          "Returns your events after a cursor, oldest first. The first call starts the recording, so the list begins then. Save `nextCursor`, which is never null, and send it as `after` next time: you miss no event and get none twice. Without `hasMore`, wait `retryAfterSeconds`. Events are kept for 30 days, and recorded for 30 days after your last call. Ignore types and members that you do not know."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Events",
      description: "What happened to your Posts, sales and files, in order"
    })
  ) {}
