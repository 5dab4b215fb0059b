import { Effect, Option, Stream } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"

/** Rows of a list without cursors that one statement reads. */
const ROWS = 500

/** Returns all rows of a list of an owner, page by page. `read` gets the last row of the page before. */
export const pagesOf = <Row>(
  read: (owner: OwnerId, after: Row | undefined, limit: number) => Effect.Effect<ReadonlyArray<Row>>,
  owner: OwnerId
): Stream.Stream<ReadonlyArray<Row>> =>
  Stream.paginate<Row | undefined, ReadonlyArray<Row>>(undefined, (after) =>
    Effect.map(read(owner, after, ROWS), (rows) => {
      const last = rows.length < ROWS ? undefined : rows.at(-1)
      return [[rows], last === undefined ? Option.none() : Option.some(last)] as const
    })
  )

/** Items of a page of a list with cursors. */
const ITEMS = 100

/** Returns all items of a list that the API shows with cursors, page by page. The cursors are its own, so none is refused. */
export const cursorPagesOf = <Item, E>(
  read: (query: {
    readonly cursor: string
    readonly limit: number
  }) => Effect.Effect<
    { readonly data: ReadonlyArray<Item>; readonly pagination: { readonly nextCursor: string | null } },
    E
  >,
  limit = ITEMS
): Stream.Stream<ReadonlyArray<Item>> =>
  Stream.paginate("", (cursor: string) =>
    Effect.map(
      Effect.orDie(read({ cursor, limit })),
      ({ data, pagination }) => [[data], Option.fromNullishOr(pagination.nextCursor)] as const
    )
  )
