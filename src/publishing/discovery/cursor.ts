import { Option } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PostSort } from "../../../schemas/publishing/discovery/query.ts"

/** The end of a page: the sort key and id of its last Post. */
export interface Cursor {
  readonly key: string
  readonly id: PostId
}

/** The first letter of a cursor names its order, so that no other order accepts it. */
export const CURSOR_PREFIX: Readonly<Record<PostSort, string>> = {
  newest: "n",
  most_reacted: "r",
  most_purchased: "p",
  relevance: "w"
}

/** The keys as the service writes them. The moment of a Post before 1970 is negative, which takes a digit from its rank. */
const FORM =
  /^(?:(n)(-?[0-9]{1,16})|([rp])([0-9]{1,16})|(w)([0-9]{16,17}))_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Reads a cursor that this service made for this order; none for any other text. */
export const cursorOf = (text: string, sort: PostSort): Option.Option<Cursor> => {
  const [, newest, moment, counted, count, ranked, rank, id] = FORM.exec(text) ?? []
  const prefix = newest ?? counted ?? ranked
  const key = moment ?? count ?? rank
  if (prefix !== CURSOR_PREFIX[sort] || key === undefined || id === undefined) return Option.none()
  return Option.some({ key, id: PostId.make(id) })
}

/** Returns the cursor that begins the newest Posts before a moment, in milliseconds since 1970. */
export const cursorBefore = (millis: number): string =>
  `${CURSOR_PREFIX.newest}${millis}000_00000000-0000-4000-8000-000000000000`
