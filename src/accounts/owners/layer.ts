import { Layer } from "effect"
import { Accounts } from "./Accounts.ts"
import { AccountsRepo } from "./AccountsRepo.ts"

export const layer = Accounts.layer.pipe(Layer.provide(AccountsRepo.layer))
