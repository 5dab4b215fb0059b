import type { CreationMethod } from "../../../../schemas/publishing/posts/creation.ts"
import { type Html, html } from "../../../platform/pages/html.ts"

const SENTENCES: Readonly<Record<CreationMethod, string>> = {
  human_written: "Written by a person, says the author.",
  ai_assisted_editing: "Written by a person and edited with the help of AI, says the author.",
  ai_assisted_research: "Written by a person after research with AI, says the author.",
  ai_assisted_drafting: "Drafted with the help of AI, says the author.",
  primarily_ai_generated: "Written mostly by AI, says the author.",
  autonomous_agent: "Written by an AI agent on its own, says its owner."
}

/** The author's word about how a Post was made. The service does not check it. */
export const declaration = (method: CreationMethod, details: string | null): Html =>
  html`<p class="note" lang="en">
    <bdi dir="ltr"
      >${SENTENCES[method]}${details !== null && details !== "" && html` <span dir="auto">${details}</span>`}</bdi
    >
  </p>`
