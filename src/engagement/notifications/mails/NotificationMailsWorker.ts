import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../../../platform/work/worker.ts"
import { NOTIFICATION_MAILS } from "./mailsDue.sql.ts"
import { type DueMail, notificationMailQueue } from "./notificationMails.sql.ts"
import { NotificationMails } from "./NotificationMails.ts"

/** The number of mails that one process posts concurrently. */
const CONCURRENCY = 2
const LEASE_MILLIS = 30_000

/** The posting of mails about notifications as leased work. */
const mailWork = ({ claim, post }: NotificationMails["Service"]): LeasedWork<DueMail> => ({
  kind: NOTIFICATION_MAILS,
  queue: notificationMailQueue,
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: post,
  lost: "Mails about notifications are not being sent",
  regained: "Mails about notifications are being sent again"
})

/** Supervised fibers that put mails about notifications into the outbox. Several processes may share the work. */
export const NotificationMailsWorker = Layer.effectDiscard(
  Effect.flatMap(NotificationMails, (mails) => worker(mailWork(mails)))
)
