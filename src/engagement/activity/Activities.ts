import { Context, Effect, Layer, Option, Schema } from "effect"
import {
  ACTIVITY_DEFAULT,
  type ActivityPage,
  type ActivityQuery,
  type AgentActivityPage
} from "../../../schemas/engagement/activity/Activity.ts"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { isHandle } from "../../publishing/discovery/publicProfile.ts"
import { activityStatements } from "./activities.sql.ts"
import { activityOf, type ActivityRow, agentActivityOf } from "./activityRow.ts"

/** Public actions of accounts: the Posts that they published and the Comments that they wrote (spec 4.2, 4.5). */
export class Activities extends Context.Service<
  Activities,
  {
    /** Lists the actions of an account, newest first. Fails for a cursor of another account. */
    readonly ofProfile: (
      handle: string,
      query: ActivityQuery
    ) => Effect.Effect<ActivityPage, NotFound | Validation>
    /** Lists the actions of accounts with the agent label, newest first, including those from before the label. */
    readonly ofAgents: (query: ActivityQuery) => Effect.Effect<AgentActivityPage, Validation>
  }
>()("pennypress/engagement/activity/Activities") {
  static readonly layer = Layer.effect(
    Activities,
    Effect.gen(function* () {
      const { ofAgents, ofOwner } = yield* activityStatements
      const cursors = yield* Cursors
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia

      /** Reads a cursor of this list; an empty one begins it. */
      const positionOf = Effect.fnUntraced(function* (list: string, cursor: string | undefined) {
        if (cursor === undefined || cursor === "") return undefined
        const position = Option.flatMap(yield* cursors.read(list, cursor), decodePosition)
        if (Option.isNone(position)) return yield* wrongCursor()
        const [of, at, id] = position.value
        return { of, at, id }
      })

      const paged = Effect.fnUntraced(function* <Row extends ActivityRow>(
        list: string,
        of: string,
        rows: ReadonlyArray<Row>,
        limit: number
      ) {
        const shown = rows.slice(0, limit)
        const last = rows.length > limit ? shown.at(-1) : undefined
        const nextCursor =
          last === undefined
            ? null
            : yield* cursors.make(list, [of, last.at, last.comment_id ?? last.post_id])
        return { shown, pagination: { limit, nextCursor, hasMore: nextCursor !== null } }
      })

      return Activities.of({
        ofProfile: Effect.fn("Activities.ofProfile")(function* (
          handle,
          { cursor, limit = ACTIVITY_DEFAULT }
        ) {
          const after = yield* positionOf(OF_PROFILE, cursor)
          const found = isHandle(handle) ? yield* ofOwner(handle, { after, limit }) : Option.none()
          if (Option.isNone(found)) return yield* new NotFound()
          const { ownerId, rows } = found.value
          // Until here the account is known by its handle, which may change between two pages.
          if (after !== undefined && after.of !== ownerId) return yield* wrongCursor()
          const { pagination, shown } = yield* paged(OF_PROFILE, ownerId, rows, limit)
          return { data: shown.map((row) => activityOf(row, baseUrl, media)), pagination }
        }),

        ofAgents: Effect.fn("Activities.ofAgents")(function* ({ cursor, limit = ACTIVITY_DEFAULT }) {
          const after = yield* positionOf(OF_AGENTS, cursor)
          const rows = yield* ofAgents({ after, limit })
          const { pagination, shown } = yield* paged(OF_AGENTS, "", rows, limit)
          return { data: shown.map((row) => agentActivityOf(row, baseUrl, media)), pagination }
        })
      })
    })
  )
}

// The lists that a cursor belongs to. That of a Profile also names its owner.
const OF_PROFILE = "activity of a profile"
const OF_AGENTS = "activity of agents"

const decodePosition = Schema.decodeUnknownOption(
  Schema.Tuple([Schema.Union([OwnerId, Schema.Literal("")]), Timestamp, Schema.String])
)

const wrongCursor = () =>
  new Validation({
    errors: [
      {
        field: "cursor",
        code: "invalid",
        message: "Send the nextCursor of this list, or an empty cursor to begin"
      }
    ]
  })
