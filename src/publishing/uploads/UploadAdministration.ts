import { Context, Effect, Layer, Option } from "effect"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { OperatorOnly, type StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import {
  type StuckUpload,
  UploadNotFound,
  UploadNotScreenable
} from "../../../schemas/publishing/uploads/rpc.ts"
import { AuditLog, type Because } from "../../accounts/administration/AuditLog.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { later, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { Notices } from "../posts/Notices.ts"
import { issueOf } from "./operation/issueOf.ts"
import { isHidden, transition } from "./operation/operation.ts"
import { operationStatements, UPLOADS } from "./operation/operations.sql.ts"

/** The reason of an administrator who gives none. */
const UNSAID = "No reason was given"

type Reason = Partial<Because>

/** The actions as the audit log names them, by the event of each. */
const actions = { held: "uploads.hold", released: "uploads.release", rescreened: "uploads.rescreen" } as const

/**
 * Controls of upload operations that only administrators and moderators have (spec 3.2). Each may be repeated, and is
 * recorded once. A moderator controls no upload of their own.
 */
export class UploadAdministration extends Context.Service<
  UploadAdministration,
  {
    /** Hides the image from readers, keeps its files in every case, and tells its owner. */
    readonly hold: (
      authority: StaffAuthority,
      id: UploadOperationId,
      because?: Reason
    ) => Effect.Effect<void, UploadNotFound | OperatorOnly>
    /** Ends a hold, and tells the owner. A cleanup that was due meanwhile is done. */
    readonly release: (
      authority: StaffAuthority,
      id: UploadOperationId,
      because?: Reason
    ) => Effect.Effect<void, UploadNotFound | OperatorOnly>
    /**
     * Screens an image once more, as long as its bytes are there. `seenDueAt` is its next time that the caller saw, in
     * milliseconds since 1970: when something happened to the image since then, nothing is done.
     */
    readonly rescreen: (
      authority: StaffAuthority,
      id: UploadOperationId,
      because?: Reason,
      seenDueAt?: number
    ) => Effect.Effect<void, UploadNotFound | UploadNotScreenable | OperatorOnly>
    /** Returns operations that are held, or unfinished and older than that, oldest first. */
    readonly stuck: (
      authority: StaffAuthority,
      query: { readonly olderThanSeconds: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StuckUpload>>
    /** Returns the operations that screening refused last. */
    readonly refused: (authority: StaffAuthority, limit: number) => Effect.Effect<ReadonlyArray<StuckUpload>>
  }
>()("pennypress/publishing/uploads/UploadAdministration") {
  static readonly layer = Layer.effect(
    UploadAdministration,
    Effect.gen(function* () {
      const operations = yield* operationStatements
      const auditLog = yield* AuditLog
      const notices = yield* Notices
      const transactions = yield* Transactions
      const { urlOf } = yield* OwnMedia
      const { ring } = (yield* Doorbells).bell(UPLOADS)

      const change = Effect.fnUntraced(
        function* (
          authority: StaffAuthority,
          id: UploadOperationId,
          type: keyof typeof actions,
          { reason = UNSAID, ...by }: Reason = {},
          seenDueAt?: number
        ) {
          const operation = yield* operations.lockToControl(id)
          if (Option.isNone(operation)) return yield* new UploadNotFound({ operationId: id })
          const { due_at, held, owner_id } = operation.value
          if (authority.kind === "moderator" && authority.ownerId === owner_id)
            return yield* new OperatorOnly({ subject: "own" })
          const isRepeat =
            type === "rescreened"
              ? seenDueAt !== undefined && seenDueAt !== due_at.getTime()
              : held === (type === "held")
          if (isRepeat) return
          const at = yield* now
          const settlement = transition(operation.value, { type, at })
          if (settlement === undefined) return yield* new UploadNotScreenable({ operationId: id })
          yield* operations.settle(operation.value, settlement)
          const entry = { action: actions[type], subjectId: id, reason, ...by }
          const cause = yield* auditLog.record(authority, entry)
          // Readers don't see again what was rejected meanwhile, as its owner has heard.
          const isStillHidden = type === "released" && isHidden(operation.value.state)
          if (type !== "rescreened" && operation.value.desired && !isStillHidden)
            yield* notices.accountIssue({
              ...issueOf(operation.value, type),
              cause,
              reason: by.reasonForAuthor,
              at
            })
          yield* ring
        },
        (changing) => transactions.run(changing)
      )

      const setHeld = Effect.fnUntraced(function* (
        authority: StaffAuthority,
        id: UploadOperationId,
        held: boolean,
        because?: Reason
      ) {
        const changing = change(authority, id, held ? "held" : "released", because)
        yield* Effect.catchTag(changing, "UploadNotScreenable", Effect.die)
        yield* Effect.logInfo(held ? "An upload is held" : "An upload is released").pipe(
          Effect.annotateLogs({ upload: id })
        )
      })

      const withUrls = (uploads: ReadonlyArray<StuckUpload>): ReadonlyArray<StuckUpload> =>
        uploads.map((upload) => ({ ...upload, publicUrl: urlOf(upload.publicUrl) }))

      return UploadAdministration.of({
        hold: Effect.fn("UploadAdministration.hold")((authority, id, because) =>
          setHeld(authority, id, true, because)
        ),
        release: Effect.fn("UploadAdministration.release")((authority, id, because) =>
          setHeld(authority, id, false, because)
        ),
        rescreen: Effect.fn("UploadAdministration.rescreen")((authority, id, because, seenDueAt) =>
          change(authority, id, "rescreened", because, seenDueAt)
        ),
        refused: Effect.fn("UploadAdministration.refused")((_, limit) =>
          Effect.map(operations.refused(limit), withUrls)
        ),
        stuck: Effect.fn("UploadAdministration.stuck")(function* (_, { limit, olderThanSeconds }) {
          return withUrls(yield* operations.stuck(later(yield* now, -olderThanSeconds * 1000), limit))
        })
      })
    })
  )
}
