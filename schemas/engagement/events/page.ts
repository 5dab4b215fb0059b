import { Schema, SchemaTransformation } from "effect"
import { Cursor } from "../../platform/Cursor.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Event, ListedEventType } from "./Event.ts"

export const EVENTS_DEFAULT = 50
export const EVENTS_MAX = 100
/** Time after which a program asks again that has read all events. */
export const EVENTS_RETRY_SECONDS = 10

const isListed = Schema.is(ListedEventType)

/** Types of events, separated by commas. */
const Types = Schema.String.check(
  Schema.isPattern(/^[a-z_.]{1,30}(?:,[a-z_.]{1,30}){0,13}$/u, {
    expected: "types of events, separated by commas, such as post.published,tip.settled"
  }).abort(),
  Schema.makeFilter((text: string) => text.split(",").every(isListed), {
    message: "Send only types of events that lists have, such as post.published,tip.settled",
    toJsonSchema: () => [{}, true]
  })
).pipe(
  Schema.decodeTo(
    Schema.Array(ListedEventType),
    SchemaTransformation.transform({
      decode: (text): ReadonlyArray<ListedEventType> => text.split(",") as Array<ListedEventType>,
      encode: (types) => types.join(",")
    })
  )
)

/** A page of events. `after` is the `nextCursor` of a page before; without it, the list begins with the oldest event. */
export const EventsQuery = Schema.Struct({
  types: Schema.optionalKey(Types),
  after: Schema.optionalKey(Cursor),
  limit: Schema.optionalKey(queryInteger({ minimum: 1, maximum: EVENTS_MAX, default: EVENTS_DEFAULT }))
})
export type EventsQuery = typeof EventsQuery.Type

/** Events of an owner, oldest first. */
export const EventPage = Schema.Struct({
  data: Schema.Array(Event),
  pagination: Schema.Struct({
    limit: Schema.Int,
    /** Continues after the last event of the page, or after all events so far. */
    nextCursor: Schema.String,
    hasMore: Schema.Boolean
  }),
  retryAfterSeconds: Schema.Int
}).annotate({ identifier: "EventPage" })
export type EventPage = typeof EventPage.Type
