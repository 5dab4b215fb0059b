import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { CREATION_WORDS } from "../pages/parts/creation.ts"
import { publishPath, writePath } from "../write/writePage.ts"

interface PreviewView {
  readonly post: Post
  /** The sections as readers see them; null for one that is not written. */
  readonly free: Html | null
  readonly paid: Html | null
}

/** Shows where the text ends for a reader who has not paid. */
const wall = ({ enablePaywall, priceRaw }: Post): Html | false =>
  enablePaywall &&
  html`<p class="state">
    ${priceRaw === null ? "From here on, you need a price." : html`Readers pay ${xnoOfRaw(BigInt(priceRaw))} XNO to read on from here.`}
  </p>`

/** Returns a post as its readers will see it, with the paid part behind the place of the wall. */
export const previewPage = ({ free, paid, post }: PreviewView): Page => {
  const { creationMethod, description, id, language, title, url } = post
  const shown = title === "" ? "Untitled" : title
  return {
    title: `Preview: ${shown}`,
    language,
    isIndexed: false,
    main: html`<div class="message" lang="en" dir="ltr">
        <p class="state">
          This is a preview, for you alone.
          <a href="${writePath(id)}">Edit</a
          >${url === null && html` · <a href="${publishPath(id)}">Publish</a>`}
        </p>
      </div>
      <article class="post">
        <header>
          <h1 dir="auto">${shown}</h1>
          ${description !== "" && html`<p class="lede" dir="auto">${description}</p>`}
        </header>
        ${free !== null && html`<div class="prose" dir="auto">${free}</div>`}${
          paid !== null &&
          html`${wall(post)}
            <div class="prose" dir="auto">${paid}</div>`
        }
        <footer>
          ${creationMethod !== null && html`<p class="note" lang="en"><bdi dir="ltr">${CREATION_WORDS[creationMethod]}</bdi></p>`}
        </footer>
      </article>`
  }
}
