import { Layer } from "effect"
import { AccountEmail } from "./AccountEmail.ts"
import { AccountEmailRepo } from "./AccountEmailRepo.ts"

export const layer = AccountEmail.layer.pipe(Layer.provide(AccountEmailRepo.layer))
