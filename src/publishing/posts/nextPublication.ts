import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { DAY_MILLIS, wireTime } from "../../platform/time/now.ts"
import type { PostRow } from "./postRow.ts"

/** Age from which a Post that is published for the first time tells no one. */
const NEWS_MILLIS = DAY_MILLIS

/** Returns the time of a publication by hand: the date that an imported Post had elsewhere, if that is past. */
export const dateOf = ({ dated_at }: Pick<PostRow, "dated_at">, at: Date): Timestamp =>
  dated_at !== null && Date.parse(dated_at) <= at.getTime() ? dated_at : wireTime(at)

/** True for a Post with this date, which followers and readers learn of with its first publication. */
export const isNews = (publishedAt: Timestamp, at: Date): boolean =>
  at.getTime() - Date.parse(publishedAt) <= NEWS_MILLIS

/**
 * The kind of the next publication of a Post. Followers and readers by mail learn of the `first` one, unless its date elsewhere
 * is too `old`, and of none that comes `again`.
 */
export type NextPublication = "first" | "old" | "again"

/** The facts about a Post from which the kind of its next publication follows. */
type Facts = Pick<PostRow, "was_public" | "dated_at"> & {
  /** True for a draft that is published at a moment of its author: its date elsewhere does not count. */
  readonly is_scheduled: boolean
}

/** Returns the kind of the next publication of a Post. */
export const nextPublicationOf = (facts: Facts, at: Date): NextPublication => {
  if (facts.was_public) return "again"
  return facts.is_scheduled || isNews(dateOf(facts, at), at) ? "first" : "old"
}
