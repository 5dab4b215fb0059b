import { Context, Effect, Layer, Option, Schema } from "effect"
import {
  type FollowedPostPage,
  OWN_FOLLOWS_DEFAULT,
  type OwnFollow,
  type OwnFollowPage,
  type OwnFollowsQuery
} from "../../../schemas/engagement/follows/OwnFollows.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { summaryOf } from "../../publishing/discovery/summary.ts"
import { type OwnFollowRow, ownFollowStatements, type Position } from "./ownFollows.sql.ts"

/** The creators whom an owner follows, and what they published. Each list fails for a cursor of another one. */
export class OwnFollows extends Context.Service<
  OwnFollows,
  {
    /** Lists the follows of an owner with their preferences, newest first, without restricted creators. */
    readonly follows: (
      owner: OwnerAuthority,
      query: OwnFollowsQuery
    ) => Effect.Effect<OwnFollowPage, Validation>
    /** Lists the public Posts of the creators whom an owner follows, newest first. */
    readonly posts: (owner: OwnerId, query: OwnFollowsQuery) => Effect.Effect<FollowedPostPage, Validation>
  }
>()("pennypress/engagement/follows/OwnFollows") {
  static readonly layer = Layer.effect(
    OwnFollows,
    Effect.gen(function* () {
      const statements = yield* ownFollowStatements
      const cursors = yield* Cursors
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia

      /** Reads a page of a list. `positionOf` is the place of a row. */
      const paged = <Row>(
        name: string,
        read: (
          owner: OwnerId,
          slice: { readonly after: Position | undefined; readonly limit: number }
        ) => Effect.Effect<ReadonlyArray<Row>>,
        positionOf: (row: Row) => readonly [at: string, id: string]
      ) =>
        Effect.fnUntraced(function* (
          owner: OwnerId,
          { cursor = "", limit = OWN_FOLLOWS_DEFAULT }: OwnFollowsQuery
        ) {
          const list = `${name} ${owner}`
          const position =
            cursor === "" ? undefined : Option.flatMap(yield* cursors.read(list, cursor), decodePosition)
          if (position !== undefined && Option.isNone(position)) return yield* wrongCursor()
          const after = position === undefined ? undefined : { at: position.value[0], id: position.value[1] }
          const rows = yield* read(owner, { after, limit })
          const shown = rows.slice(0, limit)
          const last = rows.length > limit ? shown.at(-1) : undefined
          const nextCursor = last === undefined ? null : yield* cursors.make(list, positionOf(last))
          return { shown, pagination: { limit, nextCursor, hasMore: nextCursor !== null } }
        })

      const follows = paged("follows", statements.follows, ({ created_at, id }) => [created_at, id])
      const posts = paged("followed posts", statements.posts, ({ id, published_at }) => [published_at, id])

      return OwnFollows.of({
        follows: Effect.fn("OwnFollows.follows")(function* ({ ownerId }, query) {
          const { pagination, shown } = yield* follows(ownerId, query)
          return { data: shown.flatMap((row) => followOf(row, media)), pagination }
        }),
        posts: Effect.fn("OwnFollows.posts")(function* (owner, query) {
          const { pagination, shown } = yield* posts(owner, query)
          return { data: shown.map((row) => summaryOf(row, baseUrl, media)), pagination }
        })
      })
    })
  )
}

const decodePosition = Schema.decodeUnknownOption(
  Schema.Tuple([Timestamp, Schema.String.check(Schema.isUUID())])
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

/** Returns a follow with its creator; nothing for a restricted one. */
const followOf = (
  { author_kind, avatar_url, handle, name, ...follow }: OwnFollowRow,
  { urlOf }: OwnMedia["Service"]
): ReadonlyArray<OwnFollow> =>
  name === null || handle === null || author_kind === null
    ? []
    : [
        {
          ...follow,
          creator: { id: follow.creator_id, name, handle, avatar_url: urlOf(avatar_url), author_kind }
        }
      ]
