import { Context, Effect, Layer, Option, Schema } from "effect"
import { EventsGone } from "../../../schemas/engagement/events/errors.ts"
import {
  EVENTS_DEFAULT,
  EVENTS_RETRY_SECONDS,
  type EventPage,
  type EventsQuery
} from "../../../schemas/engagement/events/page.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { EVENT_LIFE_MILLIS, Events } from "../../platform/events/Events.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { eventListStatements, type EventRow } from "./eventList.sql.ts"

/** A page of events whose bodies are texts, as webhooks get them. */
export interface EventTexts extends Omit<EventPage, "data"> {
  readonly data: ReadonlyArray<string>
}

/** The events of an owner, in the order of their numbers. */
export class EventList extends Context.Service<
  EventList,
  {
    /**
     * Returns the events after a cursor, oldest first, and makes the owner a listener for 30 days. Events become visible in
     * the order of their numbers, so a cursor never passes an event that comes later. Fails with `EventsGone` for a cursor
     * whose next event may be deleted already, or that comes from after the backup of a restored database.
     */
    readonly page: (
      owner: OwnerAuthority,
      query: EventsQuery
    ) => Effect.Effect<EventTexts, EventsGone | Validation>
    /** Returns events of an owner after one of them, in their order, for an archive. */
    readonly all: (
      owner: OwnerId,
      after: EventRow | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<EventRow>>
  }
>()("pennypress/engagement/events/EventList") {
  static readonly layer = Layer.effect(
    EventList,
    Effect.gen(function* () {
      const events = yield* Events
      const list = yield* eventListStatements
      const cursors = yield* Cursors

      return EventList.of({
        all: list.all,
        page: Effect.fn("EventList.page")(function* (
          { ownerId },
          { after = "", limit = EVENTS_DEFAULT, types }
        ) {
          const name = `events ${ownerId}`
          const position = after === "" ? undefined : decodePosition(yield* cursors.read(name, after))
          if (position !== undefined && Option.isNone(position)) return yield* wrongCursor()
          const [sequence, since] = position?.value ?? [0, undefined]
          const at = yield* now
          const row = yield* list.page(ownerId, { after: sequence, types, limit })
          // A database that was restored from a backup gives the numbers after its last one again, to other events.
          const isAhead = sequence > row.last_sequence
          const isOld = since !== undefined && since < at.getTime() - EVENT_LIFE_MILLIS
          const oldest = row.oldest_sequence ?? row.last_sequence + 1
          if (position !== undefined && (isOld || isAhead || oldest > sequence + 1))
            return yield* new EventsGone({ oldest: row.oldest_at })

          // A day more than a cursor lasts, so that one call a day writes.
          const keeps = row.polled_until !== null && row.polled_until >= later(at, EVENT_LIFE_MILLIS)
          if (!keeps) yield* events.listen(ownerId, later(at, EVENT_LIFE_MILLIS + DAY_MILLIS))

          const shown = row.events.slice(0, limit)
          const hasMore = row.events.length > limit || row.is_cut
          // Events of other types were passed, too.
          const passed = row.is_cut ? (row.read_until ?? sequence) : Math.max(sequence, row.last_sequence)
          const last = row.events.length > limit ? (shown.at(-1)?.sequence ?? sequence) : passed
          const nextCursor = yield* cursors.make(name, [String(last), String(at.getTime())])
          return {
            data: shown.map(({ body }) => body),
            pagination: { limit, nextCursor, hasMore },
            retryAfterSeconds: EVENTS_RETRY_SECONDS
          }
        })
      })
    })
  )
}

const decodeNumbers = Schema.decodeUnknownOption(
  Schema.Tuple([Schema.FiniteFromString, Schema.FiniteFromString])
)
const decodePosition = Option.flatMap((position: ReadonlyArray<string>) => decodeNumbers(position))

const wrongCursor = () =>
  new Validation({
    errors: [
      {
        field: "after",
        code: "invalid",
        message: "Send the nextCursor of this list, or an empty cursor to begin"
      }
    ]
  })
