import { JsonError } from "./JsonError.ts"
import { Problem } from "./Problem.ts"

/** Also the answer for what belongs to somebody else: its existence is not told. */
export class NotFoundProblem extends Problem<NotFoundProblem>()("NotFoundProblem", "not-found") {}

/** Also the answer for what is not public: its existence is not told. */
export class NotFound extends JsonError<NotFound>()("NotFound", {
  code: "not_found",
  status: 404,
  message: "There is no such thing here"
}) {}

/** 409: the Idempotency-Key names another request than this one (specification 4.1.3). */
export class IdempotencyConflict extends Problem<IdempotencyConflict>()(
  "IdempotencyConflict",
  "idempotency-conflict"
) {}

export class ForbiddenProblem extends Problem<ForbiddenProblem>()("ForbiddenProblem", "forbidden") {}

/** 409: the revision that was sent is not the current one (specification 4.3.9). */
export class RevisionConflict extends Problem<RevisionConflict>()("RevisionConflict", "revision-conflict") {}

export class MethodNotAllowedProblem extends Problem<MethodNotAllowedProblem>()(
  "MethodNotAllowedProblem",
  "method-not-allowed"
) {}

export class MethodNotAllowed extends JsonError<MethodNotAllowed>()("MethodNotAllowed", {
  code: "method_not_allowed",
  status: 405,
  message: "The path does not answer to this method; see the Allow header"
}) {}
