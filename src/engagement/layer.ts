import { Effect, Layer } from "effect"
import { ownerCounts } from "../accounts/owners/owners.sql.ts"
import { Counters } from "../platform/counters/Counters.ts"
import { CountersWorker } from "../platform/counters/CountersWorker.ts"
import { postCounts } from "../publishing/posts/postCounts.sql.ts"
import { AccountDeletions } from "./account-deletion/AccountDeletions.ts"
import { AccountDeletionsWorker } from "./account-deletion/AccountDeletionsWorker.ts"
import { AccountDeletionHttp } from "./account-deletion/http.ts"
import { AccountDeletionRpc } from "./account-deletion/rpc.ts"
import { AccountExports } from "./account-export/AccountExports.ts"
import { AccountExportHttp } from "./account-export/http.ts"
import { Activities } from "./activity/Activities.ts"
import { ActivityHttp } from "./activity/http.ts"
import { authorKinds } from "./comments/authorKinds.ts"
import { commentCounts, commentRows } from "./comments/commentCounts.sql.ts"
import { Comments } from "./comments/Comments.ts"
import { HiddenComments } from "./comments/HiddenComments.ts"
import { CommentsHttp, PublicCommentsHttp } from "./comments/http.ts"
import { Dispatcher } from "./events/Dispatcher.ts"
import { DispatcherWorker } from "./events/DispatcherWorker.ts"
import { EventList } from "./events/EventList.ts"
import { EventsHttp } from "./events/http.ts"
import { FollowingFeeds } from "./follows/FollowingFeeds.ts"
import { FollowLists } from "./follows/FollowLists.ts"
import { followRows } from "./follows/follows.sql.ts"
import { Follows } from "./follows/Follows.ts"
import { FollowListsHttp, FollowsHttp } from "./follows/http.ts"
import { OwnFollows } from "./follows/OwnFollows.ts"
import { LeaderboardsHttp } from "./leaderboards/http.ts"
import { Leaderboards } from "./leaderboards/Leaderboards.ts"
import { LeaderboardsWorker } from "./leaderboards/LeaderboardsWorker.ts"
import { Decisions } from "./moderation/Decisions.ts"
import { Moderation } from "./moderation/Moderation.ts"
import { Restrictions } from "./moderation/Restrictions.ts"
import { RestrictionsWorker } from "./moderation/RestrictionsWorker.ts"
import { ModerationRpc } from "./moderation/rpc.ts"
import { Notifications as NotificationFeed } from "./notifications/feed/Notifications.ts"
import { NotificationsHttp } from "./notifications/http.ts"
import * as Notifications from "./notifications/layer.ts"
import * as UnsubscribePages from "./notifications/mails/pages.ts"
import { ReactionsHttp } from "./reactions/http.ts"
import { reactionRows } from "./reactions/reactions.sql.ts"
import { Reactions } from "./reactions/Reactions.ts"
import { ReadStatsHttp } from "./reads/http.ts"
import { Reads } from "./reads/Reads.ts"
import { ReadStats } from "./reads/ReadStats.ts"
import { ReadsWorker } from "./reads/ReadsWorker.ts"
import { ReportsHttp } from "./reports/http.ts"
import { PublicReports } from "./reports/PublicReports.ts"
import { ReportedThings } from "./reports/ReportedThings.ts"
import { ReportQueue } from "./reports/ReportQueue.ts"
import { Reports } from "./reports/Reports.ts"
import { ReportsRpc } from "./reports/rpc.ts"
import { BouncesRpc } from "./subscribers/bounces/rpc.ts"
import { SubscribersHttp, SubscriptionsHttp } from "./subscribers/http.ts"
import { SubscriberImportsHttp } from "./subscribers/imports/http.ts"
import { ReadersRpc } from "./subscribers/imports/rpc.ts"
import { SubscriberImports } from "./subscribers/imports/SubscriberImports.ts"
import { SubscriberImportsWorker } from "./subscribers/imports/SubscriberImportsWorker.ts"
import { MailingsHttp } from "./subscribers/mailings/http.ts"
import { Mailings } from "./subscribers/mailings/Mailings.ts"
import { MailingsWorker } from "./subscribers/mailings/MailingsWorker.ts"
import { postMailBodies } from "./subscribers/mailings/postMailBodies.ts"
import * as SubscriptionPages from "./subscribers/pages.ts"
import { Subscribers } from "./subscribers/Subscribers.ts"
import { WebhooksHttp } from "./webhooks/http.ts"
import { WebhookDeliveries } from "./webhooks/WebhookDeliveries.ts"
import { WebhookQueue } from "./webhooks/WebhookQueue.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"
import { WebhooksWorker } from "./webhooks/WebhooksWorker.ts"
import { WebhookTurns } from "./webhooks/WebhookTurns.ts"

/** The services by which the other wings notify owners and label their work. */
export const hooks = Layer.merge(Notifications.notices, authorKinds)

/** The mails about posts, as each reader gets them. The outbox asks for them. */
export const mailBodies = postMailBodies

/** The actions of readers, and their counters. */
const acts = Layer.mergeAll(
  AccountDeletions.layer,
  Activities.layer,
  Counters.layer(Effect.all([commentCounts, ownerCounts, postCounts]), {
    ...commentRows,
    ...followRows,
    ...reactionRows
  }),
  Decisions.layer,
  EventList.layer,
  FollowingFeeds.layer,
  FollowLists.layer,
  Follows.layer,
  Leaderboards.layer,
  Notifications.layer,
  OwnFollows.layer,
  Reactions.layer,
  PublicReports.layer,
  Reads.layer,
  ReadStats.layer,
  ReportedThings.layer,
  Mailings.layer,
  Reports.layer,
  SubscriberImports.layer,
  Subscribers.layer,
  WebhookDeliveries.layer,
  WebhookQueue.layer,
  WebhookTurns.layer,
  Webhooks.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Moderation.layer, ReportQueue.layer, Restrictions.layer)),
  Layer.provideMerge(Layer.merge(Comments.layer, HiddenComments.layer))
)

/** The services of the wing. An export and the bodies of events read what the others have. */
export const layer = Layer.merge(AccountExports.layer, Dispatcher.layer).pipe(Layer.provideMerge(acts))

/** Handlers of the wing's operations. */
export const handlers = Layer.mergeAll(
  AccountExportHttp,
  AccountDeletionHttp,
  ActivityHttp,
  CommentsHttp,
  PublicCommentsHttp,
  EventsHttp,
  FollowListsHttp,
  FollowsHttp,
  LeaderboardsHttp,
  MailingsHttp,
  NotificationsHttp,
  ReactionsHttp,
  ReadStatsHttp,
  ReportsHttp,
  SubscriberImportsHttp,
  SubscribersHttp,
  SubscriptionsHttp,
  WebhooksHttp
)

/** Handlers of the wing's procedures. */
export const procedures = Layer.mergeAll(
  AccountDeletionRpc,
  BouncesRpc,
  ModerationRpc,
  ReadersRpc,
  ReportsRpc
)

/** Routes outside the contract. */
export const routes = Layer.merge(SubscriptionPages.layer, UnsubscribePages.layer)

/** Fibers that run in the background. */
export const workers = Layer.mergeAll(
  AccountDeletionsWorker,
  CountersWorker,
  DispatcherWorker,
  LeaderboardsWorker,
  MailingsWorker,
  Notifications.workers,
  ReadsWorker,
  RestrictionsWorker,
  SubscriberImportsWorker,
  WebhooksWorker
)

/** The services of the wing whose rows expire or are summed up, and the counters, which a sweep compares with their rows. */
export const sweepers = Effect.all([
  NotificationFeed,
  Counters,
  PublicReports,
  Reads,
  Subscribers,
  Mailings,
  Webhooks
])
