import { HttpApiMiddleware } from "effect/http-api"
import { InvalidMembers } from "./common.ts"
import { inJson } from "./inJson.ts"

/**
 * Answers 400 in place of 422 for a wrong member of the body. An endpoint adds it where the specification says so (spec
 * 4.6.5, 4.6.7); its group adds `JsonFamily` outside.
 */
export class StrictMembers extends HttpApiMiddleware.Service<StrictMembers>()(
  "pennypress/schemas/platform/errors/StrictMembers",
  { error: inJson(InvalidMembers, "invalid_members") }
) {}
