import { Context, Effect, Layer, Option } from "effect"
import {
  AccountRestricted,
  NotFound,
  RevisionConflict,
  Validation
} from "../../../../schemas/platform/errors/common.ts"
import type { ApiKeyId, OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { PostPublished, ScheduleLimitReached } from "../../../../schemas/publishing/posts/errors.ts"
import {
  type Schedule,
  SCHEDULE_DAYS_MAX,
  type ScheduleRequest,
  type ScheduleResult
} from "../../../../schemas/publishing/posts/Schedule.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { isSameMoment } from "../../../platform/time/isSameMoment.ts"
import { DAY_MILLIS, now, wireTime } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { type PostRow, scheduleOf } from "../postRow.ts"
import { postStatements } from "../posts.sql.ts"
import { Publishing, type PublishRefusal } from "../Publishing.ts"
import { makePublishDue } from "./publishDue.ts"
import { type DueSchedule, scheduleStatements } from "./schedules.sql.ts"

/** The reasons that keep a draft from being scheduled. */
export type ScheduleRefusal =
  | NotFound
  | Validation
  | RevisionConflict
  | PostPublished
  | PublishRefusal
  | ScheduleLimitReached

/** Drafts that become public by themselves at a moment of their authors. */
export class Schedules extends Context.Service<
  Schedules,
  {
    /**
     * Publishes a draft at a moment, with the checks of a publication now and then. Another moment moves the publication, and a
     * repeat changes nothing. Fails when the draft has another revision than `revision`.
     */
    readonly save: (
      publisher: PublisherAuthority,
      id: PostId,
      request: ScheduleRequest,
      revision: string | undefined
    ) => Effect.Effect<ScheduleResult, ScheduleRefusal>
    /** Ends the schedule of a draft. Safe to repeat. */
    readonly remove: (publisher: PublisherAuthority, id: PostId) => Effect.Effect<ScheduleResult, NotFound>
    /** Counts the publications that would end with each key of an owner. */
    readonly countByKey: (owner: OwnerId) => Effect.Effect<ReadonlyMap<ApiKeyId, number>>
    /** Claims publications that are due. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<DueSchedule>>
    /** Makes a claimed publication due again at once. */
    readonly release: (due: DueSchedule) => Effect.Effect<boolean>
    /** Publishes a draft whose moment has come, or keeps the reason for which it does not. */
    readonly publishDue: (due: DueSchedule) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/schedules/Schedules") {
  static readonly layer = Layer.effect(
    Schedules,
    Effect.gen(function* () {
      const schedules = yield* scheduleStatements
      const posts = yield* postStatements
      const publishing = yield* Publishing
      const transactions = yield* Transactions
      const publishDue = yield* makePublishDue
      const { lookSoon } = yield* Doorbells

      const save = Effect.fn("Schedules.save")(
        function* (
          publisher: PublisherAuthority,
          id: PostId,
          { onlyRevision = false, publishAt }: ScheduleRequest,
          revision: string | undefined
        ): Effect.fn.Return<ScheduleResult, ScheduleRefusal> {
          const { apiKeyId, isRestricted, keyId, ownerId } = publisher
          yield* schedules.lock(ownerId, id)
          const found = yield* posts.find(ownerId, id)
          if (Option.isNone(found)) return yield* new NotFound()
          const post = found.value
          if (post.status === "published") return yield* new PostPublished()
          if (post.schedule !== null && isRepeat(post, apiKeyId, onlyRevision, publishAt))
            return { schedule: scheduleOf(post.schedule), currentRevision: post.updated_at }
          if (revision !== undefined && !isSameMoment(revision, post.updated_at))
            return yield* RevisionConflict.with(post.updated_at)
          if (isRestricted) return yield* new AccountRestricted()
          const at = yield* now
          yield* checkMoment(publishAt, at)
          yield* publishing.check(post)
          const revoked = { reason: "key_revoked", errors: [], at: wireTime(at) } as const
          const saved = yield* schedules.save(
            post,
            { ownerId, apiKeyId, publishAt, isOnlyRevision: onlyRevision, at },
            revoked
          )
          if (!saved.outlives)
            return yield* refused(
              "after_key_expiry",
              "Choose a moment before this key expires, or use a key that is valid for longer"
            )
          if (saved.revision === null) return yield* new ScheduleLimitReached()
          const schedule: Schedule = {
            publishAt,
            state: saved.is_key_revoked ? "failed" : "waiting",
            onlyRevision,
            scheduledBy: keyId,
            scheduledAt: wireTime(at),
            failure: saved.is_key_revoked ? revoked : null
          }
          yield* transactions.afterCommit(lookSoon)
          return { schedule, currentRevision: saved.revision }
        },
        (effect) => transactions.run(effect)
      )

      return Schedules.of({
        save,
        remove: Effect.fn("Schedules.remove")(function* ({ ownerId }, id) {
          const ended = yield* schedules.end(ownerId, id, yield* now)
          if (Option.isNone(ended)) return yield* new NotFound()
          return { schedule: null, currentRevision: ended.value.revision }
        }),
        countByKey: Effect.fn("Schedules.countByKey")(function* (owner) {
          const counts = yield* schedules.countByKey(owner)
          return new Map(counts.map(({ api_key_id, schedules: count }) => [api_key_id, count]))
        }),
        claim: schedules.claim,
        release: (due) => Effect.flatMap(now, (at) => schedules.release(due, at)),
        publishDue
      })
    })
  )
}

/** True for a request for what is there already: the moment, the text and the key. */
const isRepeat = (
  { schedule, updated_at }: PostRow,
  apiKeyId: ApiKeyId,
  isOnlyRevision: boolean,
  publishAt: Timestamp
): boolean =>
  schedule !== null &&
  schedule.failure === null &&
  schedule.publish_at === publishAt &&
  schedule.api_key_id === apiKeyId &&
  schedule.only_revision === (isOnlyRevision ? updated_at : null)

const refused = (code: string, message: string) =>
  Effect.fail(new Validation({ errors: [{ field: "publishAt", code, message }] }))

const checkMoment = Effect.fnUntraced(function* (publishAt: Timestamp, at: Date) {
  const ahead = Date.parse(publishAt) - at.getTime()
  if (ahead <= 0) return yield* refused("in_past", "Choose a moment in the future, or publish the Post now")
  if (ahead > SCHEDULE_DAYS_MAX * DAY_MILLIS)
    return yield* refused("too_late", `Choose a moment within the next ${SCHEDULE_DAYS_MAX} days`)
})
