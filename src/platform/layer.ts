import { Effect, Layer } from "effect"
import { Cursors } from "./cursors/Cursors.ts"
import { Events } from "./events/Events.ts"
import { FeedChanges } from "./feed-changes/FeedChanges.ts"
import { FeedChangesWorker } from "./feed-changes/FeedChangesWorker.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { Mails } from "./mail/Mails.ts"
import { MailWorker } from "./mail/MailWorker.ts"
import { OwnMedia } from "./media/OwnMedia.ts"
import { Site } from "./pages/Site.ts"
import { PublicAnswers } from "./public-answers/PublicAnswers.ts"
import { ClientRequests } from "./rate-limits/ClientRequests.ts"
import { RateLimits } from "./rate-limits/RateLimits.ts"
import { Secrets } from "./secrets/Secrets.ts"
import { Transactions } from "./sql/Transactions.ts"
import { Doorbells } from "./work/Doorbells.ts"

/** The services with expiring rows that every wing shares. */
export const sweepers = Effect.all([Events, FeedChanges, Idempotency, Mails])

/** Transactions, and what they record and ring. */
export const base = Events.layer.pipe(
  Layer.provideMerge(Doorbells.layer),
  Layer.provideMerge(Transactions.layer)
)

/** The services that every wing shares, over those of the base. */
export const layer = Layer.mergeAll(
  Cursors.layer,
  FeedChanges.layer,
  Idempotency.layer,
  Mails.layer,
  OwnMedia.layer,
  PublicAnswers.layer,
  ClientRequests.layer.pipe(Layer.provideMerge(RateLimits.layer)),
  Secrets.layer,
  Site.layer
)

/** Supervised fibers that every wing shares. */
export const workers = Layer.merge(FeedChangesWorker, MailWorker)
