import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../work/worker.ts"
import { bulkMailQueue, type ClaimedMail, mailQueue, sharedMailQueue } from "./mails.sql.ts"
import { BULK_MAILS, MAIL_LEASE_MILLIS, Mails, MAILS, SHARED_MAILS } from "./Mails.ts"

/** Maximum number of mails that one process sends at the same time, not counting mails that may wait. */
const CONCURRENCY = 4
/** The same maximum for mails that may wait. */
const BULK_CONCURRENCY = 2

/**
 * The delivery of mails as leased work. When a stop cuts off a mail whose text has left, the mail waits for the end of
 * its lease, because the server may already have it.
 */
export const mailWork = ({ claim, deliver }: Mails["Service"]): LeasedWork<ClaimedMail> => ({
  kind: MAILS,
  queue: mailQueue,
  concurrency: CONCURRENCY,
  leaseMillis: MAIL_LEASE_MILLIS,
  claim,
  run: deliver,
  lost: "Mail is not being delivered",
  regained: "Mail is being delivered again"
})

/** The delivery of mails that may wait. Even a hundred thousand of them leave the places of the other mails free. */
const bulkMailWork = ({ claimBulk, deliver }: Mails["Service"]): LeasedWork<ClaimedMail> => ({
  kind: BULK_MAILS,
  queue: bulkMailQueue,
  concurrency: BULK_CONCURRENCY,
  leaseMillis: MAIL_LEASE_MILLIS,
  claim: claimBulk,
  run: deliver,
  lost: "Bulk mail is not being delivered",
  regained: "Bulk mail is being delivered again"
})

/** The delivery of mails to many readers, at the pace of the operator. */
const sharedMailWork = ({ claimShared, deliver }: Mails["Service"]): LeasedWork<ClaimedMail> => ({
  kind: SHARED_MAILS,
  queue: sharedMailQueue,
  concurrency: BULK_CONCURRENCY,
  leaseMillis: MAIL_LEASE_MILLIS,
  claim: claimShared,
  run: deliver,
  lost: "Mail to readers is not being delivered",
  regained: "Mail to readers is being delivered again"
})

/** Supervised fibers that send the mails of the outbox. Several processes may share the work. */
export const MailWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const mails = yield* Mails
    yield* worker(mailWork(mails))
    yield* worker(bulkMailWork(mails))
    yield* worker(sharedMailWork(mails))
  })
)
