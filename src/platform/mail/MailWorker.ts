import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../work/worker.ts"
import { MAIL_LEASE_MILLIS, Mails, MAILS } from "./Mails.ts"
import type { ClaimedMail } from "./MailsRepo.ts"

/** The most mails that one process sends at the same time. */
const CONCURRENCY = 4

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

/** Supervised fibers that send the mails of the outbox. Several processes may share the work. */
export const MailWorker = Layer.effectDiscard(Effect.flatMap(Mails, (mails) => worker(mailWork(mails))))
