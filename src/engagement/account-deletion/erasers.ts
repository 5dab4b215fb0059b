import { Effect } from "effect"
import { emailChangeErasure } from "../../accounts/account-email/emailChanges.sql.ts"
import { moderatorErasure } from "../../accounts/administration/moderators.sql.ts"
import { apiKeyErasure } from "../../accounts/api-keys/apiKeys.sql.ts"
import { deletionWork } from "../../accounts/deletion/deletions.sql.ts"
import { Owners } from "../../accounts/owners/Owners.ts"
import { registrationErasure } from "../../accounts/registrations/registrations.sql.ts"
import { sessionErasure } from "../../accounts/sessions/sessions.sql.ts"
import { walletChallengeErasure } from "../../accounts/sessions/walletChallenges.sql.ts"
import { giftErasure } from "../../payments/gifts/gifts.sql.ts"
import { paymentSessionErasure } from "../../payments/sessions/paymentSessions.sql.ts"
import { eventErasure } from "../../platform/events/events.sql.ts"
import { idempotencyRecordErasure } from "../../platform/idempotency/idempotencyRecords.sql.ts"
import type { EraseSome } from "../../platform/sql/EraseSome.ts"
import { now } from "../../platform/time/now.ts"
import { ImportErasure } from "../../publishing/imports/service/ImportErasure.ts"
import { PostErasure } from "../../publishing/posts/erasure/PostErasure.ts"
import { scheduleErasure } from "../../publishing/posts/schedules/schedules.sql.ts"
import { Withdrawals } from "../../publishing/posts/withdrawal/Withdrawals.ts"
import { Uploads } from "../../publishing/uploads/Uploads.ts"
import { HiddenComments } from "../comments/HiddenComments.ts"
import { followingFeedErasure } from "../follows/followingFeeds.sql.ts"
import { followErasure } from "../follows/follows.sql.ts"
import { leaderboardErasure } from "../leaderboards/leaderboards.sql.ts"
import { restrictionErasure } from "../moderation/restrictions.sql.ts"
import { notificationErasure } from "../notifications/notificationErasure.sql.ts"
import { reactionErasure } from "../reactions/reactions.sql.ts"
import { readErasure } from "../reads/reads.sql.ts"
import { reportErasure } from "../reports/reports.sql.ts"
import { subscriberImportErasure } from "../subscribers/imports/subscriberImports.sql.ts"
import { mailingErasure } from "../subscribers/mailings/mailings.sql.ts"
import { subscriberErasure } from "../subscribers/subscribers.sql.ts"
import { webhookErasure } from "../webhooks/accountWebhooks.ts"
import { consequenceStatements } from "./consequences.sql.ts"

/** One part of the work that erases an account. Its name stands in the row of a deletion that is under way. */
export interface Eraser {
  readonly name: string
  readonly eraseSome: EraseSome
}

/**
 * Makes the parts of the work that erases an account, in their order. A feature with rows of owners adds a line here, and its
 * columns to `ownerColumns`. The row of the owner comes last, and is no part.
 */
export const makeErasers = Effect.gen(function* () {
  const owners = yield* Owners
  const withdrawals = yield* Withdrawals
  const posts = yield* PostErasure
  const schedules = yield* scheduleErasure
  const uploads = yield* Uploads
  const imports = yield* ImportErasure
  const comments = yield* HiddenComments
  const keys = yield* apiKeyErasure
  const requests = yield* idempotencyRecordErasure
  const notifications = yield* notificationErasure
  const sessions = yield* sessionErasure
  const challenges = yield* walletChallengeErasure
  const emails = yield* emailChangeErasure
  const registrations = yield* registrationErasure
  const moderators = yield* moderatorErasure
  const paymentSessions = yield* paymentSessionErasure
  const gifts = yield* giftErasure
  const reactions = yield* reactionErasure
  const follows = yield* followErasure
  const feeds = yield* followingFeedErasure
  const reports = yield* reportErasure
  const leaderboards = yield* leaderboardErasure
  const reads = yield* readErasure
  const restrictions = yield* restrictionErasure
  const deletions = yield* deletionWork
  const { imagesOfBuyers } = yield* consequenceStatements
  const webhooks = yield* webhookErasure
  const events = yield* eventErasure
  const subscribers = yield* subscriberErasure
  const subscriberImports = yield* subscriberImportErasure
  const mailings = yield* mailingErasure

  const erasers: Readonly<Record<string, EraseSome>> = {
    sessions: sessions.eraseSome,
    challenges: challenges.eraseSome,
    // Before the keys, which named some of them.
    requests: (owner, limit) =>
      Effect.flatMap(keys.idsOf(owner), (ids) => requests.eraseSome([owner, ...ids], limit)),
    keys: keys.eraseSome,
    emails: emails.erase,
    registrations: registrations.eraseSome,
    moderator: moderators.erase,
    payoutAddresses: owners.erasePastAddresses,
    // Before the posts, so that no step of an import makes another one.
    imports: imports.eraseSome,
    schedules: schedules.eraseSome,
    publicPosts: withdrawals.takeDownSome,
    mailings: mailings.eraseSome,
    subscribers: subscribers.eraseSome,
    // After the readers, who name them.
    subscriberImports: subscriberImports.eraseSome,
    formerSubscribers: subscribers.eraseSomeFormer,
    paymentSessions: paymentSessions.forgetUnpaid,
    gifts: (owner, limit) => Effect.flatMap(now, (at) => gifts.eraseSome(owner, at, limit)),
    posts: posts.eraseSome,
    // Versions that no one bought are gone now, so fewer images stay than when the account closed.
    keptImages: (owner) =>
      Effect.flatMap(imagesOfBuyers(owner), (images) =>
        Effect.as(deletions.keepImages(owner, images), false)
      ),
    uploads: uploads.eraseSome,
    comments: comments.eraseSome,
    reactions: reactions.eraseSome,
    follows: follows.eraseSome,
    followingFeed: feeds.erase,
    notifications: notifications.ofOwner,
    notificationsOfOthers: notifications.ofOthers,
    webhooks: webhooks.eraseSome,
    reports: reports.eraseSome,
    reads: reads.eraseSome,
    leaderboards: leaderboards.erase,
    restriction: restrictions.erase,
    // The parts before record some.
    events: events.eraseSome
  }
  return Object.entries(erasers).map(([name, eraseSome]): Eraser => ({ name, eraseSome }))
})
