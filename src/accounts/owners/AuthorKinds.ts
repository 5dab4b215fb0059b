import { Context, type Effect } from "effect"
import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"

/**
 * Labels the work of an owner with the owner's author kind, so that lists by kind find it without reading all owners. The
 * wings above keep these labels. A service without Comments takes `withoutComments`.
 */
export class AuthorKinds extends Context.Service<
  AuthorKinds,
  {
    /**
     * Gives all work of the owner this kind. Call it after the change of the owner's row, in the same transaction. The row
     * stays locked until the commit, and new work reads it.
     */
    readonly changed: (owner: OwnerId, kind: AuthorKind) => Effect.Effect<void>
  }
>()("pennypress/accounts/owners/AuthorKinds") {}
