import { Option } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PostSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
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
  most_purchased: "p"
}

const FORM = /^([nrp])([0-9]{1,16})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Reads a cursor that this service made for this order; none for any other text. */
export const cursorOf = (text: string, sort: PostSort): Option.Option<Cursor> => {
  const [, prefix, key, id] = FORM.exec(text) ?? []
  if (prefix !== CURSOR_PREFIX[sort] || key === undefined || id === undefined) return Option.none()
  return Option.some({ key, id: PostId.make(id) })
}

/** Returns the cursor that continues a list in this order after a Post. */
export const cursorAfter = ({ counts, id, publishedAt }: PostSummary, sort: PostSort = "newest"): string =>
  `${CURSOR_PREFIX[sort]}${keyOf[sort]({ counts, publishedAt })}_${id}`

type Placed = Pick<PostSummary, "counts" | "publishedAt">

/** The keys of a Post in each order. A cursor spells a moment in microseconds. */
const keyOf = {
  newest: ({ publishedAt }: Placed) =>
    `${Date.parse(`${publishedAt.slice(0, 23)}Z`)}${publishedAt.slice(23, 26)}`,
  most_reacted: ({ counts }: Placed) => String(counts.reactions),
  most_purchased: ({ counts }: Placed) => String(counts.purchases)
} satisfies Readonly<Record<PostSort, (post: Placed) => string>>
