import { Effect, Layer } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Moderation } from "../../engagement/moderation/Moderation.ts"
import { CURSOR_CHARACTERS_MAX } from "../../platform/cursors/Cursors.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addHiddenPage } from "../../platform/http/ServicePaths.ts"
import { AccountAdministrationRoutes } from "./accounts.ts"
import { makeHealth } from "./health.ts"
import { healthPage } from "./healthPage.ts"
import { logPage } from "./logPage.ts"
import { HEALTH, LOG } from "./parts.ts"
import { ReportRoutes } from "./reports.ts"
import { makeRoom } from "./room.ts"
import { UploadAdministrationRoutes } from "./uploads.ts"

/** Actions of a page of the log. */
const ACTIONS = 50

/** Serves what was done, and how the service is. */
const ReadRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const moderation = yield* Moderation
    const health = yield* makeHealth
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

    const showHealth = asModerator(() => Effect.map(health.read, (view) => page(healthPage(view))))

    return Layer.merge(addHiddenPage("GET", LOG, showLog), addHiddenPage("GET", HEALTH, showHealth))
  })
)

/** Serves the room of moderators, which does not exist for anyone else. */
export const ModerationRoutes = Layer.mergeAll(
  AccountAdministrationRoutes,
  ReadRoutes,
  ReportRoutes,
  UploadAdministrationRoutes
)
