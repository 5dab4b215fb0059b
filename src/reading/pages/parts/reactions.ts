import { type Html, html } from "../../../platform/pages/html.ts"
import type { ReactionsView } from "./views.ts"

/** The reactions as readers see and hear them. */
export const REACTIONS = [
  { reaction: "thumbs_up", face: "👍", name: "Thumbs up" },
  { reaction: "heart", face: "❤️", name: "Heart" },
  { reaction: "fire", face: "🔥", name: "Fire" },
  { reaction: "clap", face: "👏", name: "Clap" }
] as const

/** The reactions that a Post or a Comment has; nothing without any. */
export const reactions = (counts: ReactionsView, size = ""): Html | false => {
  const some = REACTIONS.filter(({ reaction }) => counts[reaction] > 0)
  return (
    some.length > 0 &&
    html`<ul class="counts ${size}" lang="en" aria-label="Reactions">
      ${some.map(
        ({ face, name, reaction }) =>
          html`<li>
            <span aria-hidden="true">${face}</span
            ><span class="sr">${name}: </span>${counts[reaction].toLocaleString("en")}
          </li>`
      )}
    </ul>`
  )
}
