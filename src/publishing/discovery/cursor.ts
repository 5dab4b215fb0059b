import { Option } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PostSort } from "../../../schemas/publishing/discovery/query.ts"

/** Where a page of a list ended: the sort key of its last Post, and its id. */
export interface Cursor {
  readonly key: string
  readonly id: PostId
}

/** A cursor begins with its order, so that it cannot be taken into another one. */
export const CURSOR_PREFIX: Readonly<Record<PostSort, string>> = {
  newest: "n",
  most_reacted: "r",
  most_purchased: "p"
}

const FORM = /^([nrp])([0-9]{1,16})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The cursor of a text that this service made for this order. */
export const cursorOf = (text: string, sort: PostSort): Option.Option<Cursor> => {
  const [, prefix, key, id] = FORM.exec(text) ?? []
  if (prefix !== CURSOR_PREFIX[sort] || key === undefined || id === undefined) return Option.none()
  return Option.some({ key, id: PostId.make(id) })
}
