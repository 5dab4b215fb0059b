import { Effect } from "effect"
import type { NotificationId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { entryStatements } from "../../engagement/notifications/feed/entries.sql.ts"
import { shownTypes } from "../../engagement/notifications/feed/Notifications.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"

/** Notifications of a page, at most. */
const ENTRIES_MAX = 50

/** A part of the list. */
interface Part {
  /** True also returns those that were read. */
  readonly isAll: boolean
  readonly after: NotificationId | undefined
}

/** Makes the reader of an owner's notifications, with the names in their sentences. */
export const makeEntries = Effect.gen(function* () {
  const { slice } = yield* entryStatements
  const preferences = yield* Preferences

  /** Lists notifications of the kinds that are on, newest first. `next` is the one after which there are more. */
  return Effect.fn("NotificationEntries.list")(function* (owner: OwnerAuthority, part: Part) {
    const types = shownTypes(yield* preferences.read(owner))
    const rows = yield* slice(owner.ownerId, { ...part, types, limit: ENTRIES_MAX })
    const entries = rows.slice(0, ENTRIES_MAX)
    return { entries, next: rows.length > ENTRIES_MAX ? (entries.at(-1)?.id ?? null) : null }
  })
})
