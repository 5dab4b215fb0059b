import { Layer } from "effect"
import { AccountAdministration } from "./AccountAdministration.ts"
import { Administrators } from "./Administrators.ts"
import { AuditLog } from "./AuditLog.ts"
import { Moderators } from "./Moderators.ts"

export const layer = Layer.merge(AccountAdministration.layer, Administrators.layer).pipe(
  Layer.provideMerge(Moderators.layer),
  Layer.provideMerge(AuditLog.layer)
)
