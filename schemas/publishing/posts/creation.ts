import { Schema } from "effect"

/** The author's declaration of how a Post was produced; the service detects nothing (spec 1, 2.7). */
export const CreationMethod = Schema.Literals([
  "human_written",
  "ai_assisted_editing",
  "ai_assisted_research",
  "ai_assisted_drafting",
  "primarily_ai_generated",
  "autonomous_agent"
]).annotate({ identifier: "CreationMethod" })
export type CreationMethod = typeof CreationMethod.Type
