import { Schema } from "effect"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { Author } from "../../publishing/discovery/Discovery.ts"
import { Reaction, ReactionSummary } from "./Reaction.ts"

export const REACTORS_DEFAULT = 40
export const REACTORS_MAX = 100
/** The service walks over everything before an offset, so an offset far beyond any page is refused. */
export const OFFSET_MAX = 100_000

/** The owners with one reaction, page by page. Without `reaction`, the answer is only the summary (spec 4.5). */
export const ReactorQuery = Schema.Struct({
  reaction: Schema.optionalKey(Reaction),
  limit: Schema.optionalKey(queryInteger({ minimum: 1, maximum: REACTORS_MAX, default: REACTORS_DEFAULT })),
  offset: Schema.optionalKey(queryInteger({ minimum: 0, maximum: OFFSET_MAX, default: 0 }))
})
export type ReactorQuery = typeof ReactorQuery.Type

/** `reactedAt` is the time of this reaction, not that of an earlier one which it replaced. */
export const Reactor = Schema.Struct({
  profile: Author,
  reaction: Reaction,
  reactedAt: Timestamp
}).annotate({ identifier: "Reactor" })

/**
 * `reaction` is that of the query. The newest reactors come first. A restricted account is counted but not shown, so a
 * page may have fewer rows than its limit.
 */
export const Reactors = Schema.Struct({
  summary: ReactionSummary,
  reaction: Schema.NullOr(Reaction),
  reactors: Schema.Array(Reactor),
  pagination: Schema.NullOr(Schema.Struct({ limit: Schema.Int, offset: Schema.Int, hasMore: Schema.Boolean }))
}).annotate({ identifier: "Reactors" })
export type Reactors = typeof Reactors.Type

/** The reaction that the owner wants to have; null for none. */
export const ReactionRequest = Schema.Struct({ reaction: Schema.NullOr(Reaction) }).annotate({
  identifier: "ReactionRequest"
})
export type ReactionRequest = typeof ReactionRequest.Type

/** The reactions to the target with the one that was set. */
export const ReactionResult = Schema.Struct({ summary: ReactionSummary }).annotate({
  identifier: "ReactionResult"
})
export type ReactionResult = typeof ReactionResult.Type
