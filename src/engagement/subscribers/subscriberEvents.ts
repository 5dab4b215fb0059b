import { Effect } from "effect"
import { Events } from "../../platform/events/Events.ts"
import type { EventFacts } from "../../platform/events/facts.ts"
import type { ChangedRow } from "./subscribers.sql.ts"

type EndedBy = EventFacts["subscriber.ended"]["subscriber"]["endedBy"]

/** Makes the functions that record events about readers. An event has no address. Call them in the transaction of the cause. */
export const makeSubscriberEvents = Effect.map(Events, (events) => ({
  confirmed: (readers: ReadonlyArray<ChangedRow>, at: Date) =>
    events.recordAll(
      readers.map(({ author_id, id, source }) => ({
        ownerId: author_id,
        type: "subscriber.confirmed",
        data: { subscriber: { id, source, endedBy: null } },
        at
      }))
    ),
  /** Records the ends of readers who got mail until now. */
  ended: (readers: ReadonlyArray<ChangedRow>, endedBy: EndedBy, at: Date) =>
    events.recordAll(
      readers.map(({ author_id, id, source }) => ({
        ownerId: author_id,
        type: "subscriber.ended",
        data: { subscriber: { id, source, endedBy } },
        at
      }))
    )
}))
