import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../work/worker.ts"
import { BULK_MAILS, MAIL_LEASE_MILLIS, Mails, MAILS } from "./Mails.ts"
import type { ClaimedMail } from "./MailsRepo.ts"

/** The most mails that one process sends at the same time, beside those that may wait. */
const CONCURRENCY = 4
/** The most mails that may wait which one process sends at the same time. */
const BULK_CONCURRENCY = 2

/**
 * The delivery of mails as leased work. A mail whose send a stop cut off waits for the end of its lease, because the
 * server may have it already.
 */
export const mailWork = ({ claim, deliver }: Mails["Service"]): LeasedWork<ClaimedMail> => ({
  kind: MAILS,
  concurrency: CONCURRENCY,
  leaseMillis: MAIL_LEASE_MILLIS,
  claim,
  run: deliver,
  lost: "Mail is not delivered",
  regained: "Mail is delivered again"
})

/** The delivery of mails that may wait. A hundred thousand of them leave the places of the others free. */
const bulkMailWork = ({ claimBulk, deliver }: Mails["Service"]): LeasedWork<ClaimedMail> => ({
  kind: BULK_MAILS,
  concurrency: BULK_CONCURRENCY,
  leaseMillis: MAIL_LEASE_MILLIS,
  claim: claimBulk,
  run: deliver,
  lost: "Mail that may wait is not delivered",
  regained: "Mail that may wait is delivered again"
})

/** Supervised fibers that send the mails of the outbox. Several processes may share the work. */
export const MailWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const mails = yield* Mails
    yield* worker(mailWork(mails))
    yield* worker(bulkMailWork(mails))
  })
)
