import { Effect, Layer } from "effect"
import { KeyUses } from "../../../accounts/api-keys/KeyUses.ts"
import { Events } from "../../../platform/events/Events.ts"
import { wireTime } from "../../../platform/time/now.ts"
import { Notices } from "../Notices.ts"
import { failedEvent } from "./failedEvent.ts"
import { scheduleStatements } from "./schedules.sql.ts"

/** Ends the schedules of a key with it, or hands them to the key that took its place. */
export const ScheduleKeyUses = Layer.effect(
  KeyUses,
  Effect.gen(function* () {
    const schedules = yield* scheduleStatements
    const notices = yield* Notices
    const events = yield* Events

    return KeyUses.of({
      hold: schedules.hold,
      revoking: Effect.fn("ScheduleKeyUses.revoking")(function* (ownerId, keyId, at) {
        const failure = { reason: "key_revoked", errors: [], at: wireTime(at) } as const
        const failed = yield* schedules.failOfKey(ownerId, keyId, failure, at)
        yield* events.recordAll(
          failed.map(({ id, publish_at: publishAt, title }) =>
            failedEvent(ownerId, { id, title, publishAt }, failure, at)
          )
        )
        // One for all of them: the owner revoked one key.
        if (failed.length > 0)
          yield* notices.accountIssue({ ownerId, code: "schedules_ended", cause: `key-${keyId}`, at })
      }),
      rotated: (_owner, from, to) => Effect.map(schedules.handOn(from, to), ({ outlives }) => outlives)
    })
  })
)
