import { Effect, Stream } from "effect"
import type { ExportedSchedule } from "../../../schemas/engagement/account-export/AccountExport.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { IMPORTS_MAX } from "../../../schemas/publishing/imports/limits.ts"
import { ApiKeys } from "../../accounts/api-keys/ApiKeys.ts"
import { ownIdentity } from "../../accounts/owners/ownIdentity.sql.ts"
import { PayoutAddresses } from "../../accounts/payout-address/PayoutAddresses.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { liveSessions } from "../../accounts/sessions/liveSessions.sql.ts"
import { Finances } from "../../payments/finance/Finances.ts"
import { Obligations } from "../../payments/finance/Obligations.ts"
import { Gifts } from "../../payments/gifts/Gifts.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { givenTips } from "../../payments/tips/givenTips.sql.ts"
import { Imports } from "../../publishing/imports/service/Imports.ts"
import { ownSchedules } from "../../publishing/posts/schedules/schedules.sql.ts"
import { Comments } from "../comments/Comments.ts"
import { writtenComments } from "../comments/writtenComments.sql.ts"
import { EventList } from "../events/EventList.ts"
import { OwnFollows } from "../follows/OwnFollows.ts"
import { Preferences } from "../notifications/preferences/Preferences.ts"
import { Subscribers } from "../subscribers/Subscribers.ts"
import { exportedWebhooks } from "../webhooks/accountWebhooks.ts"
import { actStatements } from "./acts.sql.ts"
import type { JsonPart } from "./jsonText.ts"
import { cursorPagesOf, pagesOf } from "./pages.ts"

/** Follows of a page of the API, at most. */
const FOLLOWS = 50

/** Returns a list of `account.json`, from rows. */
const list = <Row, Value>(pages: Stream.Stream<ReadonlyArray<Row>>, of: (row: Row) => Value): JsonPart => ({
  pages: Stream.map(pages, (rows) => rows.map(of))
})

/** Makes the function that returns the members of `account.json` that no other file has. Their lists are read when they are written. */
export const makeAccountFacts = Effect.gen(function* () {
  const identityOf = yield* ownIdentity
  const profiles = yield* Profiles
  const payouts = yield* PayoutAddresses
  const keys = yield* ApiKeys
  const sessionsOf = yield* liveSessions
  const comments = yield* Comments
  const written = yield* writtenComments
  const follows = yield* OwnFollows
  const preferences = yield* Preferences
  const acts = yield* actStatements
  const finances = yield* Finances
  const obligations = yield* Obligations
  const purchases = yield* Purchases
  const gifts = yield* Gifts
  const tips = yield* givenTips
  const imports = yield* Imports
  const webhooksOf = yield* exportedWebhooks
  const events = yield* EventList
  const schedulesOf = yield* ownSchedules
  const subscribers = yield* Subscribers

  return Effect.fnUntraced(function* (owner: OwnerAuthority, at: Date) {
    const { ownerId } = owner
    const profile = yield* profiles.own(owner)
    const identity = yield* identityOf(ownerId)
    const payout = { ...(yield* payouts.read(owner)), past: yield* payouts.past(owner) }
    const live = yield* sessionsOf(ownerId, at)

    const others: Readonly<Record<string, JsonPart>> = {
      comments: {
        members: {
          written: list(pagesOf(written, ownerId), (row) => ({
            id: row.id,
            postId: row.post_id,
            parentCommentId: row.parent_comment_id,
            content: row.content,
            createdAt: row.created_at,
            deletedAt: row.deleted_at,
            deletedByRole: row.deleted_by_role,
            hidden: row.is_hidden
          })),
          received: list(
            cursorPagesOf((query) =>
              Effect.map(comments.received(owner, query), ({ comments: data, pagination }) => ({
                data,
                pagination
              }))
            ),
            ({ author, content, createdAt, postId }) => ({
              postId,
              content,
              createdAt,
              author: { name: author.name, handle: author.handle }
            })
          )
        }
      },
      reactions: {
        members: {
          given: list(pagesOf(acts.reactions, ownerId), (row) => ({
            postId: row.post_id,
            commentId: row.comment_id,
            reaction: row.reaction,
            createdAt: row.changed_at
          }))
        }
      },
      follows: {
        members: {
          following: { pages: cursorPagesOf((query) => follows.follows(owner, query), FOLLOWS) },
          followers: list(pagesOf(acts.followers, ownerId), (row) => ({
            id: row.follower_id,
            name: row.name,
            handle: row.handle,
            followedAt: row.created_at
          }))
        }
      },
      notifications: {
        members: {
          preferences: { value: yield* preferences.read(owner) },
          mutes: list(pagesOf(acts.mutes, ownerId), (row) => row.post_id)
        }
      },
      events: list(pagesOf(events.all, ownerId), ({ body }): unknown => JSON.parse(body)),
      keys: { value: yield* keys.list(owner) },
      sessions: {
        value: live.map((row) => ({
          id: row.id,
          method: row.method,
          browser: row.browser,
          createdAt: row.created_at,
          expiresAt: row.expires_at
        }))
      },
      gifts: { pages: cursorPagesOf((query) => gifts.list(ownerId, query)) },
      purchases: { pages: cursorPagesOf((query) => purchases.list(ownerId, query)) },
      tips: {
        members: {
          given: list(pagesOf(tips, ownerId), (row) => ({
            id: row.id,
            amountRaw: row.amount_raw,
            postId: row.post_id,
            commentId: row.comment_id,
            recipient: { name: row.recipient_name, handle: row.recipient_handle },
            transaction: row.block_hash,
            createdAt: row.created_at
          })),
          received: { pages: cursorPagesOf((query) => finances.tips(owner, query)) }
        }
      },
      sales: { pages: cursorPagesOf((query) => finances.sales(owner, query)) },
      obligations: { value: (yield* obligations.list(owner)).data },
      reports: {
        members: {
          made: list(pagesOf(acts.reports, ownerId), (row) => ({
            id: row.id,
            target: row.target_kind,
            targetId: row.target_id,
            reason: row.reason,
            createdAt: row.created_at
          }))
        }
      },
      moderation: {
        value: (yield* acts.decisions(ownerId)).map((row) => ({
          action: row.action,
          subjectId: row.subject_id,
          reason: row.reason_for_author,
          createdAt: row.created_at
        }))
      },
      scheduled: list(pagesOf(schedulesOf, ownerId), (row): ExportedSchedule => ({
        postId: row.id,
        publishAt: row.publish_at,
        onlyRevision: row.is_only_revision,
        scheduledAt: row.created_at,
        failure: row.failure
      })),
      subscribers: { pages: cursorPagesOf((query) => subscribers.list(owner, query)) },
      webhooks: { value: yield* webhooksOf(ownerId) },
      imports: {
        pages: Stream.map(
          cursorPagesOf((query) => imports.list(owner, query), IMPORTS_MAX),
          (page) =>
            page.map((it) => ({
              id: it.id,
              state: it.state,
              kind: it.kind,
              fileName: it.fileName,
              byteSize: it.byteSize,
              sha256: it.sha256,
              counts: it.counts,
              createdAt: it.createdAt,
              readAt: it.readAt,
              finishedAt: it.finishedAt
            }))
        )
      }
    }
    const value = {
      profile,
      createdAt: identity.created_at,
      walletAddress: identity.wallet === null ? null : addressOfPublicKey(identity.wallet),
      email: identity.email,
      payout
    }
    return { handle: profile.handle, members: { account: { value }, others } }
  })
})
