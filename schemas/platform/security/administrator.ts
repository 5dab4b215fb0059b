import { Context, Schema } from "effect"
import { RpcMiddleware } from "effect/rpc"

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
export class NotAdministrator extends Schema.TaggedError<NotAdministrator>()("NotAdministrator", {}) {}

/** Requires `Authorization: Bearer <ADMIN_TOKEN>`. */
export class Administrator extends RpcMiddleware.Service<Administrator, { provides: CurrentAdministrator }>()(
  "pennypress/schemas/platform/security/Administrator",
  { error: NotAdministrator }
) {}
