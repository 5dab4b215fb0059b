import { type Html, html } from "../../platform/pages/html.ts"
import { DESK } from "../browser/paths.ts"

interface BarView {
  readonly isPublished: boolean
  /** The path on which the author decides everything that is not on the sheet; null for a post that was never saved. */
  readonly decisions: string | null
}

interface Tool {
  /** Its name in our script. */
  readonly tool: string
  readonly words: string
  /** The letter of its key. */
  readonly key?: string
  /** The lines of its icon, in a square of 24. */
  readonly icon: string
}

const TOOLS: ReadonlyArray<Tool> = [
  { tool: "bold", words: "Bold", key: "b", icon: "M7 5h6a3.5 3.5 0 0 1 0 7H7zm0 7h7a3.5 3.5 0 0 1 0 7H7z" },
  { tool: "italic", words: "Italic", key: "i", icon: "M10 5h8M6 19h8M14 5l-4 14" },
  { tool: "heading", words: "Heading", icon: "M6 5v14M18 5v14M6 12h12" },
  { tool: "quote", words: "Quote", icon: "M5 17c3-1 4-3 4-6V7H4v5h5M15 17c3-1 4-3 4-6V7h-5v5h5" },
  { tool: "list", words: "List", icon: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" },
  { tool: "link", words: "Link", key: "k", icon: "M9 12h6M10 7H8a5 5 0 0 0 0 10h2M14 7h2a5 5 0 0 1 0 10h-2" },
  { tool: "picture", words: "Picture", icon: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01" },
  { tool: "code", words: "Code", icon: "M8 7l-5 5 5 5M16 7l5 5-5 5" }
]

/** The tools behind the button with three dots. */
const MORE: ReadonlyArray<Tool> = [
  { tool: "underline", words: "Underline", icon: "M7 5v6a5 5 0 0 0 10 0V5M6 20h12" },
  { tool: "strike", words: "Strike", icon: "M4 12h16M16 7c-1-3-8-3-8 1 0 5 8 3 8 8 0 4-8 4-9 0" },
  { tool: "numbers", words: "Numbered list", icon: "M10 6h10M10 12h10M10 18h10M4 4h1v5M4 15h3l-3 4h3" },
  { tool: "wall", words: "Move the wall here", icon: "M3 12h18M12 2v6m-3-2 3 3 3-3M12 22v-6m-3 2 3-3 3 3" }
]

const icon = (lines: string): Html =>
  html`<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    <path d="${lines}" />
  </svg>`

const button = ({ icon: lines, key, tool, words }: Tool): Html =>
  key === undefined
    ? html`<button type="button" data-tool="${tool}" aria-label="${words}" title="${words}">
        ${icon(lines)}
      </button>`
    : html`<button
        type="button"
        data-tool="${tool}"
        data-key="${key}"
        aria-label="${words}"
        title="${words} (Ctrl+${key.toUpperCase()})"
      >
        ${icon(lines)}
      </button>`

/** The buttons that write Markdown into the text with the caret. They stay hidden without a script. */
const toolbar = html`<div class="tools" id="tools" role="toolbar" aria-label="Formatting" hidden>
  ${TOOLS.map(button)}<button type="button" id="more" aria-label="More" title="More" aria-expanded="false">
    ${icon("M5 12h.01M12 12h.01M19 12h.01")}</button
  >${MORE.map(button)}
</div>`

/** The buttons that save the form. The first one is also pressed by Return in a field of one line. */
const buttons = ({ decisions, isPublished }: BarView): Html =>
  isPublished
    ? html`<button class="button" type="submit" form="post">Save changes</button>
        <button class="button quiet" type="submit" form="post" name="next" value="preview">
          Save and preview</button
        >${decisions !== null && html` <a class="button quiet" href="${decisions}">Details</a>`}`
    : html`<button class="button quiet" type="submit" form="post" data-draft>Save draft</button>
        <button class="button quiet" type="submit" form="post" name="next" value="preview">Preview</button>
        <button class="button" type="submit" form="post" name="next" value="publish">Publish…</button>`

/** The bar of the sheet, which stays in sight. The script of the page fills in what is saved, and how long the text is. */
export const bar = (view: BarView): Html =>
  html`<div class="strip" id="bar">
    <p class="extent">
      <a href="${DESK}">← Desk</a> <span id="saving" aria-live="off"></span> <span id="extent"></span>
    </p>
    ${toolbar}
    <p class="act">${buttons(view)}</p>
  </div>`
