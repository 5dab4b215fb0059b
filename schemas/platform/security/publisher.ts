import { Schema } from "effect"
import { RpcMiddleware } from "effect/rpc"
import { AccountRestricted, Unauthorized } from "../errors/common.ts"
import type { CurrentPublisher } from "./authorities.ts"

/**
 * The header of a call with the Publishing key of the owner for whom it acts. Effect hides its value in logs and traces, as
 * it does that of `Authorization`.
 */
export const PUBLISHING_KEY_HEADER = "x-api-key"

/** Requires an active Publishing key in `X-Api-Key`, and provides its authority. */
export class Publisher extends RpcMiddleware.Service<Publisher, { provides: CurrentPublisher }>()(
  "pennypress/schemas/platform/security/Publisher",
  { error: Schema.Union([Unauthorized, AccountRestricted]) }
) {}
