import { AccountsRpcs } from "./accounts/administration/rpc.ts"
import { AccountDeletionRpcs } from "./accounts/deletion/rpc.ts"
import { ModerationRpcs } from "./engagement/moderation/rpc.ts"
import { ReportsRpcs } from "./engagement/reports/rpc.ts"
import { BouncesRpcs } from "./engagement/subscribers/bounces.ts"
import { ReadersRpcs } from "./engagement/subscribers/rpc.ts"
import { ObligationsRpcs } from "./payments/finance/rpc.ts"
import { SettlementsRpcs } from "./payments/settlement/rpc.ts"
import { UploadsRpcs } from "./publishing/uploads/rpc.ts"

/** Every procedure of an administrator: the service serves them at `/rpc`, and the administrator's client calls them. */
export class AdministratorRpcs extends UploadsRpcs.merge(
  AccountsRpcs,
  AccountDeletionRpcs,
  BouncesRpcs,
  ModerationRpcs,
  ObligationsRpcs,
  ReadersRpcs,
  ReportsRpcs,
  SettlementsRpcs
) {}
