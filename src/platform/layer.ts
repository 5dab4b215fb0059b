import { Layer } from "effect"
import { Cursors } from "./cursors/Cursors.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { IdempotencyRepo } from "./idempotency/IdempotencyRepo.ts"
import { Mails } from "./mail/Mails.ts"
import { MailsRepo } from "./mail/MailsRepo.ts"
import { Site } from "./pages/Site.ts"
import { PublicAnswers } from "./public-answers/PublicAnswers.ts"
import { RateLimits } from "./rate-limits/RateLimits.ts"
import { Secrets } from "./secrets/Secrets.ts"
import { Transactions } from "./sql/Transactions.ts"
import { Doorbells } from "./work/Doorbells.ts"

/** The services that every wing shares. */
export const layer = Layer.mergeAll(
  Cursors.layer,
  Idempotency.layer.pipe(Layer.provide(IdempotencyRepo.layer)),
  Mails.layer.pipe(Layer.provide(MailsRepo.layer)),
  PublicAnswers.layer,
  RateLimits.layer,
  Secrets.layer,
  Site.layer
).pipe(Layer.provideMerge(Doorbells.layer), Layer.provideMerge(Transactions.layer))

export { MailWorker as workers } from "./mail/MailWorker.ts"
export { sweepers } from "./sweepers.ts"
