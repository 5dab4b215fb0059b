import { Schema } from "effect"
import { RpcMiddleware } from "effect/rpc"
import { InternalError, Unavailable } from "./common.ts"

/** Answers a defect and an unavailable dependency as operations do. A group adds it last, so that it is outermost. */
export class ProcedureFailures extends RpcMiddleware.Service<ProcedureFailures>()(
  "pennypress/schemas/platform/errors/ProcedureFailures",
  { error: Schema.Union([InternalError, Unavailable]) }
) {}
