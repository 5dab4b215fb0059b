import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Moderation } from "../../engagement/moderation/Moderation.ts"
import { CURSOR_CHARACTERS_MAX } from "../../platform/cursors/Cursors.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { DiskSpace } from "../../platform/ports/DiskSpace.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { later, MINUTE_MILLIS, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { AccountAdministrationRoutes } from "./accounts.ts"
import { healthStatements } from "./health.sql.ts"
import { healthPage } from "./healthPage.ts"
import { logPage } from "./logPage.ts"
import { HEALTH, LOG } from "./parts.ts"
import { ReportRoutes } from "./reports.ts"
import { makeRoom } from "./room.ts"
import { UploadAdministrationRoutes } from "./uploads.ts"

/** Actions of a page of the log. */
const ACTIONS = 50

/** The age of an unfinished upload that is late. */
const LATE_MILLIS = 60 * MINUTE_MILLIS

/** Serves what was done, and how the service is. */
const ReadRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const moderation = yield* Moderation
    const health = yield* healthStatements
    const ledger = yield* NanoLedger
    const disk = yield* DiskSpace
    const { overdueSeconds } = yield* Doorbells
    const { asModerator } = yield* makeRoom
    const { page, query } = yield* makePrivatePages

    const showLog = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const after = (yield* query).get("after")
        if (after !== null && after.length > CURSOR_CHARACTERS_MAX) return yield* new NotFound()
        const { entries, nextCursor } = yield* moderation
          .audit(moderator, { limit: ACTIONS, ...(after === null ? {} : { cursor: after }) })
          .pipe(Effect.mapError(() => new NotFound()))
        return page(logPage({ moderator, entries, after, next: nextCursor }))
      })
    )

    const ledgerState = Effect.map(ledger.isAway, (isAway) => {
      if (ledger.kind !== "node") return ledger.kind
      return isAway ? "away" : "answers"
    })

    const showHealth = asModerator(
      Effect.fnUntraced(function* () {
        const lateFrom = later(yield* now, -LATE_MILLIS)
        const [row, state, room, overdue] = yield* Effect.all(
          [health.read(lateFrom), ledgerState, disk.now, overdueSeconds],
          { concurrency: "unbounded" }
        )
        return page(healthPage({ row, ledger: state, disk: room, overdue }))
      })
    )

    return Layer.merge(HttpRouter.add("GET", LOG, showLog), HttpRouter.add("GET", HEALTH, showHealth))
  })
)

/** Serves the room of moderators, which does not exist for anyone else. */
export const ModerationRoutes = Layer.mergeAll(
  AccountAdministrationRoutes,
  ReadRoutes,
  ReportRoutes,
  UploadAdministrationRoutes
)
