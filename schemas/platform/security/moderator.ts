import { Schema } from "effect"
import { OwnerId } from "../Ids.ts"
import type { AdministratorAuthority } from "./administrator.ts"

/**
 * The authority of an account that an administrator made a moderator. Only `Moderators` makes one, from a checked browser,
 * for the request that is being served: a moderator who was removed or restricted has none at the next one.
 */
export const ModeratorAuthority = Schema.Struct({
  kind: Schema.Literal("moderator"),
  ownerId: OwnerId,
  handle: Schema.String
}).pipe(Schema.brand("ModeratorAuthority"))
export type ModeratorAuthority = typeof ModeratorAuthority.Type

/** The authority to moderate: that of the operator, or of a moderator. */
export type StaffAuthority = AdministratorAuthority | ModeratorAuthority

/**
 * Only the operator does this: the subject is something of the moderator who asks (`own`), or the account of a moderator
 * (`moderator`).
 */
export class OperatorOnly extends Schema.TaggedError<OperatorOnly>()("OperatorOnly", {
  subject: Schema.Literals(["own", "moderator"])
}) {}
