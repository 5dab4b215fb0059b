import { Effect } from "effect"
import type { NotificationId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { entryStatements } from "../../engagement/notifications/feed/entries.sql.ts"
import { shownTypes } from "../../engagement/notifications/feed/Notifications.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import { later, MINUTE_MILLIS, now } from "../../platform/time/now.ts"

/** Notifications of a page, at most. */
const ENTRIES_MAX = 50

/** Time for which a notification that was read stays in the list of new ones, to which the way back leads. */
const STAYS_MILLIS = 60 * MINUTE_MILLIS

/** A part of the list. */
interface Part {
  /** True also returns those that were read more than an hour ago. */
  readonly isAll: boolean
  readonly after: NotificationId | undefined
}

/** Makes the reader of an owner's notifications, with the names in their sentences. */
export const makeEntries = Effect.gen(function* () {
  const { slice } = yield* entryStatements
  const preferences = yield* Preferences

  /** Lists notifications of the kinds that are on, newest first. `next` is the one after which there are more. */
  return Effect.fn("NotificationEntries.list")(function* (owner: OwnerAuthority, { after, isAll }: Part) {
    const types = shownTypes(yield* preferences.read(owner))
    const readFrom = isAll ? null : later(yield* now, -STAYS_MILLIS)
    const rows = yield* slice(owner.ownerId, { types, readFrom, after, limit: ENTRIES_MAX })
    const entries = rows.slice(0, ENTRIES_MAX)
    return { entries, next: rows.length > ENTRIES_MAX ? (entries.at(-1)?.id ?? null) : null }
  })
})
