import { DateTime, Effect } from "effect"
import type { EarningsOfPost } from "../../../schemas/payments/finance/Finance.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { answerableFrom } from "../../engagement/comments/answered.sql.ts"
import {
  type DeskDays,
  type DeskNumbers,
  deskNumberStatements
} from "../../engagement/desk/deskNumbers.sql.ts"
import { Notifications } from "../../engagement/notifications/feed/Notifications.ts"
import { Finances } from "../../payments/finance/Finances.ts"
import { now } from "../../platform/time/now.ts"
import { type Draft, ownPostStatements } from "../../publishing/posts/ownPosts.sql.ts"
import { daysAfter } from "../sales/salesPeriod.ts"

/** Drafts on the desk. */
const DRAFTS = 5
/** Posts with sales since yesterday, at most. */
const SOLD = 10

/** All that the desk of an owner shows. */
export interface Home {
  readonly numbers: DeskNumbers
  /** The drafts that were edited last. */
  readonly drafts: ReadonlyArray<Draft>
  readonly hasMoreDrafts: boolean
  /** Sums of posts that earned something since yesterday, the largest first. */
  readonly sold: ReadonlyArray<EarningsOfPost>
  readonly hasMoreSold: boolean
  /** Notifications that are not read yet. */
  readonly unread: number
}

/** Returns the days of the numbers: this month until today, the same days of last month, and yesterday. */
export const deskDaysOf = (at: Date): DeskDays => {
  const today = DateTime.makeUnsafe(at)
  const last = DateTime.formatIsoDateUtc(today)
  const first = `${last.slice(0, 7)}-01`
  // A month that is shorter ends the comparison with its last day.
  const before = DateTime.formatIsoDateUtc(DateTime.subtract(today, { months: 1 }))
  return {
    first,
    last,
    before: { first: `${before.slice(0, 7)}-01`, last: before },
    newFrom: DateTime.toDateUtc(DateTime.makeUnsafe(daysAfter(last, -1))),
    answerableFrom: answerableFrom(at)
  }
}

/** Makes the reader of all that the desk of an owner shows. */
export const makeHome = Effect.gen(function* () {
  const { numbers } = yield* deskNumberStatements
  const { drafts } = yield* ownPostStatements
  const finances = yield* Finances
  const notifications = yield* Notifications

  return Effect.fn("DeskHome.read")(function* (owner: OwnerAuthority): Effect.fn.Return<Home> {
    const days = deskDaysOf(yield* now)
    const sold = { from: daysAfter(days.last, -1), limit: SOLD }
    const [read, newest, earned, unread] = yield* Effect.all(
      [
        numbers(owner.ownerId, days),
        drafts(owner.ownerId, DRAFTS + 1),
        finances.byPost(owner, sold),
        notifications.unread(owner)
      ],
      { concurrency: "unbounded" }
    ).pipe(Effect.catchTag("Validation", Effect.die))
    return {
      numbers: read,
      drafts: newest.slice(0, DRAFTS),
      hasMoreDrafts: newest.length > DRAFTS,
      sold: earned.data,
      hasMoreSold: earned.pagination.hasMore,
      unread
    }
  })
})
