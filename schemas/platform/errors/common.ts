import { JsonError } from "./JsonError.ts"
import { Problem } from "./Problem.ts"

/** Answers for unknown things and for those of other owners alike, so that their existence stays private. */
export class NotFoundProblem extends Problem<NotFoundProblem>()("NotFoundProblem", "not-found") {}

/** Answers for unknown things and for private ones alike, so that their existence stays private. */
export class NotFound extends JsonError<NotFound>()("NotFound", {
  code: "not_found",
  status: 404,
  message: "Nothing here for this caller: check the path and the id"
}) {}

/** 409: the Idempotency-Key names another request than this one (spec 4.1.3). */
export class IdempotencyConflict extends Problem<IdempotencyConflict>()(
  "IdempotencyConflict",
  "idempotency-conflict"
) {}

export class ForbiddenProblem extends Problem<ForbiddenProblem>()("ForbiddenProblem", "forbidden") {}

/** 409: the revision of the request is not the current one (spec 4.3.9). */
export class RevisionConflict extends Problem<RevisionConflict>()("RevisionConflict", "revision-conflict") {}

export class MethodNotAllowedProblem extends Problem<MethodNotAllowedProblem>()(
  "MethodNotAllowedProblem",
  "method-not-allowed"
) {}

export class MethodNotAllowed extends JsonError<MethodNotAllowed>()("MethodNotAllowed", {
  code: "method_not_allowed",
  status: 405,
  message: "The path does not answer to this method: use one of the Allow header"
}) {}
