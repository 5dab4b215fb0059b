import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { AccountRestricted, NotFound, Unauthorized } from "../errors/common.ts"
import { inJson } from "../errors/inJson.ts"
import { inProblems } from "../errors/inProblems.ts"
import {
  type CurrentCredential,
  type CurrentOwner,
  type CurrentPublisher,
  type Viewer
} from "./authorities.ts"

const refusedAsProblem = inProblems(Unauthorized, "invalid-credential")
const refusedInJson = inJson(Unauthorized, "unauthorized")

const restrictedAsProblem = inProblems(AccountRestricted, "account-restricted")
const restrictedInJson = inJson(AccountRestricted, "account_restricted")

const ownerSession = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "Access token of an owner session, or nothing on public reads"
  ),
  HttpApiSecurity.annotate(OpenApi.Format, "JWT")
)

const publishingKey = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "Publishing key, `ppk_<keyId>_<secret>`"),
  HttpApiSecurity.annotate(OpenApi.Format, "ppk_<keyId>_<secret>")
)

const ownerOrKey = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "Access token of an owner session, or a Publishing key")
)

// One check, declared once per error family: what a middleware can fail with
// is part of the contract of the operations that use it.

/** Requires a live owner session; answers refusals in the ordinary JSON family. */
export class OwnerSession extends HttpApiMiddleware.Service<OwnerSession, { provides: CurrentOwner }>()(
  "pennypress/schemas/platform/security/OwnerSession",
  { security: { ownerSession }, error: [refusedInJson, restrictedInJson] }
) {}

/** Requires a live owner session; answers refusals as problems. */
export class OwnerSessionProblem extends HttpApiMiddleware.Service<
  OwnerSessionProblem,
  { provides: CurrentOwner }
>()("pennypress/schemas/platform/security/OwnerSessionProblem", {
  security: { ownerSession },
  error: [refusedAsProblem, restrictedAsProblem]
}) {}

/** Requires an active Publishing key; owner sessions do not authenticate these operations. */
export class PublishingKey extends HttpApiMiddleware.Service<PublishingKey, { provides: CurrentPublisher }>()(
  "pennypress/schemas/platform/security/PublishingKey",
  {
    security: { publishingKey },
    error: [refusedAsProblem, restrictedAsProblem]
  }
) {}

/** Requires either credential. */
export class OwnerOrKey extends HttpApiMiddleware.Service<OwnerOrKey, { provides: CurrentCredential }>()(
  "pennypress/schemas/platform/security/OwnerOrKey",
  { security: { ownerOrKey }, error: [refusedInJson, restrictedInJson] }
) {}

/**
 * A read that needs no credential (spec 4.5). A verified owner Bearer
 * makes the caller its `Viewer`; an invalid Authorization header fails and never
 * falls back to an anonymous read. A malformed id in the path is a 404 here.
 */
export class PublicRead extends HttpApiMiddleware.Service<PublicRead, { provides: Viewer }>()(
  "pennypress/schemas/platform/security/PublicRead",
  { error: [refusedInJson, inJson(NotFound, "not_found")] }
) {}

/**
 * An operation about paid things, which needs no credential. A verified owner Bearer whose session lives makes the caller
 * its `Viewer`; any other Authorization header fails, a Publishing key too, as keys are not readers (spec 5.1). A malformed
 * id in the path is a 404 here.
 */
export class OptionalOwner extends HttpApiMiddleware.Service<OptionalOwner, { provides: Viewer }>()(
  "pennypress/schemas/platform/security/OptionalOwner",
  { error: [refusedInJson, restrictedInJson, inJson(NotFound, "not_found")] }
) {}
