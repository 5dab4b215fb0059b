import type { CreationMethod } from "../../../../schemas/publishing/posts/creation.ts"

/** The author's word about how a post was made, as readers see it. */
export const CREATION_WORDS: Readonly<Record<CreationMethod, string>> = {
  human_written: "Human-written, according to the author.",
  ai_assisted_editing: "Human-written and edited with AI, according to the author.",
  ai_assisted_research: "Human-written, with research by AI, according to the author.",
  ai_assisted_drafting: "Drafted with AI, according to the author.",
  primarily_ai_generated: "Mostly AI-generated, according to the author.",
  autonomous_agent: "Written by an AI agent on its own, according to its owner."
}
