import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { PostId } from "../../platform/Ids.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import { ChangedMailing, Mailing, MailingAction } from "./Mailing.ts"

const params = { postId: PostId }
const unknown = inProblems(NotFound, "not-found")

/** The mail about a post to the readers of its author. */
export class MailingsApi extends HttpApiGroup.make("mailings")
  .add(
    HttpApiEndpoint.get("read", "/api/v1/posts/:postId/mailing", {
      params,
      success: Mailing,
      error: unknown
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask how far the mail about a Post is",
        description:
          "Returns the state of the mail that readers get with the first publication of a Post. It leaves five minutes after it, unless the Post is not public then. A Post with `mailReaders` false has no mail. `bytes` is the size of its HTML, which is cut if the text is longer than mail programs show (`isCut`): readers get its beginning with a link to the rest."
      })
    ),
    HttpApiEndpoint.post("act", "/api/v1/posts/:postId/mailing", {
      params,
      payload: MailingAction,
      success: ChangedMailing,
      error: unknown
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send the mail about a Post at once, or cancel it",
        description:
          "Makes a mail that waits leave at once, or cancels it. Of a mail that is being sent, `cancel` stops the rest. A repeat changes nothing."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("key"))
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({ title: "Mail to readers", description: "The mail about a Post, and its progress" })
  ) {}
