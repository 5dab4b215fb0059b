import { Effect } from "effect"
import { AccountEmail } from "./account-email/AccountEmail.ts"
import { EmailCodes } from "./email-codes/EmailCodes.ts"
import { Registrations } from "./registrations/Registrations.ts"
import { RetiredHandles } from "./retired-handles/RetiredHandles.ts"
import { Sessions } from "./sessions/Sessions.ts"
import { WalletLogin } from "./sessions/WalletLogin.ts"

/** The services of the wing whose rows expire. */
export const sweepers = Effect.all([
  AccountEmail,
  EmailCodes,
  Registrations,
  RetiredHandles,
  Sessions,
  WalletLogin
])
