import { HttpApiMiddleware } from "effect/http-api"
import { UnknownParameter } from "./common.ts"
import { inJson } from "./inJson.ts"

/**
 * Reads a query that may come from a link: parameters of campaigns, such as `utm_source`, are ignored. Any other parameter
 * that the endpoint does not have is a 400, because a list without its filter would be taken for a filtered one. The group
 * of the endpoint adds `JsonFamily` outside.
 */
export class LinkQuery extends HttpApiMiddleware.Service<LinkQuery>()(
  "pennypress/schemas/platform/errors/LinkQuery",
  { error: inJson(UnknownParameter, "unknown_parameter") }
) {}
