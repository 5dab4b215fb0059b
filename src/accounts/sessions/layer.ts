import { Layer } from "effect"
import { EmailLogin } from "./EmailLogin.ts"
import { Sessions } from "./Sessions.ts"
import { WalletLinks } from "./WalletLinks.ts"
import { WalletLogin } from "./WalletLogin.ts"

export const layer = Layer.mergeAll(EmailLogin.layer, WalletLinks.layer, WalletLogin.layer).pipe(
  Layer.provideMerge(Sessions.layer)
)
