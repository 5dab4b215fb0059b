import { Layer } from "effect"
import { AccountEmail } from "./AccountEmail.ts"
import { AccountEmailRepo } from "./AccountEmailRepo.ts"
import { ConfirmationTokens } from "./ConfirmationTokens.ts"

export const layer = AccountEmail.layer.pipe(
  Layer.provide([AccountEmailRepo.layer, ConfirmationTokens.layer])
)
