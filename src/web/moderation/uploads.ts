import { Effect, Layer, Option, Schema } from "effect"
import { type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { Moderation } from "../../engagement/moderation/Moderation.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addHiddenPage } from "../../platform/http/ServicePaths.ts"
import type { Html } from "../../platform/pages/html.ts"
import { UploadAdministration } from "../../publishing/uploads/UploadAdministration.ts"
import { bad, type RefusedReason, UPLOADS } from "./parts.ts"
import { makeRoom, reasonOf } from "./room.ts"
import { uploadsPage } from "./uploadsPage.ts"
import { lastDone } from "./words.ts"

/** Uploads of a list. */
const UPLOADS_MAX = 50

/** The age of an unfinished upload that needs a look. */
const LATE_SECONDS = 3600

const decodeId = Schema.decodeUnknownOption(UploadOperationId)
const decodeChange = Schema.decodeUnknownOption(Schema.Literals(["hold", "release", "rescreen"]))
const decodeMoment = Schema.decodeUnknownOption(Timestamp)

/** The actions of the audit log, by the buttons of the page. */
const actions: Readonly<Record<string, string>> = {
  hold: "uploads.hold",
  release: "uploads.release",
  rescreen: "uploads.rescreen"
}

const words = {
  UploadNotScreenable: "It can't be screened again: the file is gone or never arrived.",
  OperatorOnly: "This is yours. Another moderator or the operator has to decide."
} as const

/** Serves the uploads that moderators look after. */
export const UploadAdministrationRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const uploads = yield* UploadAdministration
    const moderation = yield* Moderation
    const { asModerator } = yield* makeRoom
    const { page, query, readForm, seeOther } = yield* makePrivatePages

    interface Said {
      readonly told: Html | null
      readonly refused?: { readonly id: string; readonly reason: RefusedReason }
    }

    const shown = (
      moderator: ModeratorAuthority,
      { refused, told }: Said,
      status = 200
    ): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
      Effect.gen(function* () {
        const [waiting, refusedByScreening] = yield* Effect.all(
          [
            uploads.stuck(moderator, { olderThanSeconds: LATE_SECONDS, limit: UPLOADS_MAX }),
            uploads.refused(moderator, UPLOADS_MAX)
          ],
          { concurrency: "unbounded" }
        )
        // An upload that was refused and then held is in both.
        const held = new Set(waiting.map(({ operationId }) => operationId))
        return page(
          uploadsPage({
            moderator,
            waiting,
            refusedByScreening: refusedByScreening.filter(({ operationId }) => !held.has(operationId)),
            told,
            refused: refused ?? null
          }),
          status
        )
      })

    const show = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const asked = yield* query
        const id = decodeId(asked.get("id"))
        const { entries } = Option.isNone(id)
          ? { entries: [] }
          : yield* moderation
              .audit(moderator, { subjectId: id.value })
              .pipe(Effect.mapError(() => new NotFound()))
        return yield* shown(moderator, {
          told: lastDone(actions[asked.get("done") ?? ""], entries, moderator)
        })
      })
    )

    const change = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const form = yield* readForm({
          upload: LENGTHS.word,
          do: LENGTHS.word,
          seen: LENGTHS.word,
          reason: LENGTHS.text,
          author: LENGTHS.text
        })
        const id = decodeId(form.get("upload"))
        const wanted = decodeChange(form.get("do"))
        const seen = decodeMoment(form.get("seen"))
        if (Option.isNone(id) || Option.isNone(wanted) || Option.isNone(seen)) return yield* unreadable(form)
        const said = reasonOf(form)
        if (said.refused !== undefined)
          return yield* shown(moderator, { told: null, refused: { id: id.value, reason: said.refused } }, 422)
        const changed =
          wanted.value === "rescreen"
            ? uploads.rescreen(moderator, id.value, said, Date.parse(seen.value))
            : uploads[wanted.value](moderator, id.value, said)
        return yield* Effect.matchEffect(changed, {
          onSuccess: () => Effect.succeed(seeOther(`${UPLOADS}?id=${id.value}&done=${wanted.value}`)),
          onFailure: (error) =>
            error._tag === "UploadNotFound"
              ? Effect.fail(new NotFound())
              : shown(moderator, { told: bad(words[error._tag]) }, 409)
        })
      })
    )

    return Layer.merge(addHiddenPage("GET", UPLOADS, show), addHiddenPage("POST", UPLOADS, change))
  })
)
