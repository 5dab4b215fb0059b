import type { Import } from "../../../schemas/publishing/imports/Import.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { day } from "../pages/parts/values.ts"
import { EXPORTS, KINDS, STATES } from "./importWords.ts"
import { IMPORT, importPath } from "./paths.ts"

interface StartView {
  /** The Idempotency-Key of the import that the form begins. */
  readonly key: string
  readonly maxMb: number
  /** Earlier imports, newest first. */
  readonly imports: ReadonlyArray<Import>
  readonly wrong: string | null
  readonly isModerator: boolean
}

/** The form that sends a file: whole, or by its script in pieces that go on after a lost connection. */
export const sendForm = (key: string): Html =>
  html`<form method="post" action="${IMPORT}" enctype="multipart/form-data" class="fields" data-import>
    ${hidden("key", key)}
    <div>
      <label class="choice"
        ><input type="checkbox" name="members" value="free" /> Posts for members who pay nothing are free
        here</label
      >
      <p class="hint">
        Ghost calls them members, Substack free subscribers. Otherwise they are paid here, too.
      </p>
    </div>
    <div>
      <label class="choice"
        ><input type="checkbox" name="canonical" value="old" /> My old site stays the original for search
        engines</label
      >
      <p class="hint">Each post then names its old address as the first place where it appeared.</p>
    </div>
    <div class="field">
      <label for="file">Your file</label>
      <input id="file" name="file" type="file" required aria-describedby="file-hint" />
      <p class="hint" id="file-hint">A ZIP, or one JSON, XML or Markdown file.</p>
    </div>
    <p class="act"><button class="button" type="submit">Read it</button></p>
    <p id="sending" role="status" hidden></p>
  </form>`

const earlier = (it: Import): Html =>
  html`<li>
    <a href="${importPath(it.id)}"><bdi>${it.fileName}</bdi></a>
    <span class="size">${STATES[it.state]} · ${day(it.createdAt, "en")}</span>
  </li>`

/** Returns the page on which an author brings posts from elsewhere. */
export const startPage = ({ imports, isModerator, key, maxMb, wrong }: StartView): Page =>
  formPage({
    title: "Bring your posts",
    scripts: ["importing"],
    content: html`${deskMenu("/desk/posts", isModerator)}${wrong !== null && outcome(html`<strong class="bad">${wrong}</strong>`)}
      <p class="lede">
        Choose the file that your old home gave you. We read it and show you what we found. Drafts are made
        when you say so, and nothing is published until you publish it.
      </p>
      ${sendForm(key)}
      <details>
        <summary>Where do I find the file?</summary>
        <dl>
          ${EXPORTS.map(
            ({ kind, where }) =>
              html`<dt>${KINDS[kind]}</dt>
                <dd>${where}</dd>`
          )}
        </dl>
        <p class="hint">
          At most ${maxMb} MiB. Pictures that are not in the file are fetched from their addresses.
        </p>
      </details>
      ${
        imports.length > 0 &&
        html`<section class="files" aria-labelledby="earlier">
          <h2 class="label" id="earlier">Earlier imports</h2>
          <ul>
            ${imports.map(earlier)}
          </ul>
        </section>`
      }`
  })
