import { Layer } from "effect"
import { EmailDoor } from "./EmailDoor.ts"
import { EmailLogin } from "./EmailLogin.ts"
import { Sessions } from "./Sessions.ts"
import { WalletLinks } from "./WalletLinks.ts"
import { WalletLogin } from "./WalletLogin.ts"

export const layer = Layer.mergeAll(
  EmailDoor.layer,
  EmailLogin.layer,
  WalletLinks.layer,
  WalletLogin.layer
).pipe(Layer.provideMerge(Sessions.layer))
