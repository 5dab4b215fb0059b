import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

/** The cursor is older than the events that are kept. `oldest` is the time of the oldest one, or null without any. */
export class EventsGone extends ServiceError<EventsGone>()("EventsGone", {
  oldest: Schema.NullOr(Timestamp)
}) {}
