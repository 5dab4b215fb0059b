import { Layer } from "effect"
import { Fanouts } from "./fanout/Fanouts.ts"
import { FanoutsWorker } from "./fanout/FanoutsWorker.ts"
import { Notifications } from "./feed/Notifications.ts"
import { NotificationMails } from "./mails/NotificationMails.ts"
import { NotificationMailsWorker } from "./mails/NotificationMailsWorker.ts"
import { Unsubscriptions } from "./mails/Unsubscriptions.ts"
import { PostMutes } from "./mutes/PostMutes.ts"
import { OwnerNotices } from "./notices/OwnerNotices.ts"
import { Preferences } from "./preferences/Preferences.ts"
import { Summaries } from "./summaries/Summaries.ts"
import { SummariesWorker } from "./summaries/SummariesWorker.ts"

/** Notifies owners of events. It is below the features that announce events. */
export const notices = OwnerNotices

/** Notifications as owners read them. */
export const layer = Layer.mergeAll(
  Fanouts.layer,
  NotificationMails.layer,
  Notifications.layer,
  PostMutes.layer,
  Summaries.layer
).pipe(Layer.provideMerge(Unsubscriptions.layer), Layer.provideMerge(Preferences.layer))

/** Fibers that run in the background. */
export const workers = Layer.mergeAll(FanoutsWorker, NotificationMailsWorker, SummariesWorker)
