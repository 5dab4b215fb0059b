import { Context, Schema } from "effect"
import { RpcMiddleware } from "effect/rpc"
import type { PayloadTooLarge, Unavailable } from "../errors/common.ts"

/**
 * The authority of the service's operator. Only `Administrators` makes one, from the checked token of the service, so that
 * a procedure which asks for it cannot run unchecked.
 */
export const AdministratorAuthority = Schema.Struct({ kind: Schema.Literal("administrator") }).pipe(
  Schema.brand("AdministratorAuthority")
)
export type AdministratorAuthority = typeof AdministratorAuthority.Type

/** The administrator behind the procedure call that is being served. */
export class CurrentAdministrator extends Context.Service<CurrentAdministrator, AdministratorAuthority>()(
  "pennypress/schemas/platform/security/administrator/CurrentAdministrator"
) {}

/** The token of the call differs from the administrator token of the service. */
export class NotAdministrator extends Schema.TaggedError<NotAdministrator>()("NotAdministrator", {}) {
  override get message(): string {
    return "The service refuses this token: send the ADMIN_TOKEN with which it was started"
  }
}

/** Requires `Authorization: Bearer <ADMIN_TOKEN>`, and provides the authority of an administrator. */
export class Administrator extends RpcMiddleware.Service<Administrator, { provides: CurrentAdministrator }>()(
  "pennypress/schemas/platform/security/Administrator",
  { error: NotAdministrator }
) {}

/**
 * Requires the same token and provides nothing. It is for procedures that do what anyone may do, or what the owner of a
 * Publishing key may do. A client also fails with `PayloadTooLarge` for a call of more than 8 MiB,
 * and with `Unavailable` when the service cannot take the call.
 */
export class Operator extends RpcMiddleware.Service<
  Operator,
  { clientError: PayloadTooLarge | Unavailable }
>()("pennypress/schemas/platform/security/Operator", { error: NotAdministrator }) {}
