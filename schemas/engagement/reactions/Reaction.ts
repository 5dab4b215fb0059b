import { Schema } from "effect"

/** An opinion about a Post or a Comment. An owner has at most one reaction to each (spec 2.9). */
export const Reaction = Schema.Literals(["thumbs_up", "heart", "fire", "clap"]).annotate({
  identifier: "Reaction"
})
export type Reaction = typeof Reaction.Type

/** The reactions to one target, without their owners. */
export const ReactionSummary = Schema.Struct({
  counts: Schema.Struct({
    thumbs_up: Schema.Int,
    heart: Schema.Int,
    fire: Schema.Int,
    clap: Schema.Int
  }),
  total: Schema.Int,
  /** Null for a reader without a credential, and for an owner without a reaction. */
  viewerReaction: Schema.NullOr(Reaction)
}).annotate({ identifier: "ReactionSummary" })
export type ReactionSummary = typeof ReactionSummary.Type
