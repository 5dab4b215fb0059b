import type { PostId } from "../../../schemas/platform/Ids.ts"
import { CREATION_DETAILS_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { DESK } from "../browser/paths.ts"
import { type PictureFields, picturesPart, type PictureView } from "../pictures/picturesPart.ts"
import type { Told } from "./refusals.ts"
import {
  category,
  check,
  type ControlsView,
  languages,
  line,
  method,
  section,
  text,
  wrongOf
} from "./writeControls.ts"

/** Returns the path of the page on which an author writes a post; a new one without an id. */
export const writePath = (id?: PostId): string => (id === undefined ? "/write" : `/write/${id}`)

/** Returns the path of the page on which an author publishes a draft, or takes a post off the site. */
export const publishPath = (id: PostId): string => `${writePath(id)}/publish`

/** Returns the path of the page that shows an author the post as readers will see it. */
export const previewPath = (id: PostId): string => `${writePath(id)}/preview`

/** Returns the path of the page on which an author attaches files for the buyers of a post. */
export const filesPath = (id: PostId): string => `${writePath(id)}/files`

/** A saved version that differs from the one from which the author began. */
interface SavedElsewhere {
  readonly free: string | null
  readonly paid: string | null
}

export interface WriteView extends ControlsView {
  /** Null for a post that was never saved. */
  readonly id: PostId | null
  readonly isPublished: boolean
  /** Names the draft that this form makes, so that it is made only once. */
  readonly key: string
  /** The version that the author began from. */
  readonly revision: string
  /** A sentence about what happened; it has the focus. */
  readonly told: Told | null
  readonly elsewhere: SavedElsewhere | null
  /** False for a text that was not saved. */
  readonly isSaved: boolean
  /** True for a draft that the script may save without a press of its author. */
  readonly savesItself: boolean
  /** The account that opened the form, so that no other one in the same browser saves its text. Empty if it is not known. */
  readonly author: string
  /** The address of the post, as it is or will be; null for a post that was never saved. */
  readonly address: string | null
  readonly pictures: ReadonlyArray<PictureView>
  readonly picture: PictureFields
}

const told = ({ refused, told }: WriteView): Html | false => {
  if (refused.length === 0) {
    if (told === null) return false
    const { link, said } = told
    return outcome(
      link === undefined
        ? said
        : html`${said} <a href="${link.path}" target="_blank" rel="noopener">${link.name}</a>, then save
            again.`
    )
  }
  return html`<div class="state" id="outcome" role="status" tabindex="-1" autofocus>
    <p>${told?.said ?? "This was not saved yet. Please look at:"}</p>
    ${refused.map(({ control, place, sentence }) => html`<p>${place === undefined ? html`<a href="#${control}">${sentence}</a>` : html`<a href="#${control}" data-line="${place.line}" data-column="${place.column}">${sentence}</a>`}</p>`)}
  </div>`
}

/** The line that says what is saved, and the offer of a text that was not. The script of the page fills them in. */
const saving = html`<p class="hint" id="saving" aria-live="off"></p>
  <div class="state" id="kept" role="status" hidden>
    <p></p>
    <p class="act">
      <button class="button quiet" type="button" value="back">Put it back</button>
      <button class="button quiet" type="button" value="discard">Discard it</button>
    </p>
  </div>`

const elsewhere = ({ elsewhere: saved, id }: WriteView): Html | false =>
  saved !== null &&
  id !== null &&
  html`<section class="state">
    <p>
      This post was changed elsewhere since you opened it. Your version is in the form below, and the saved
      one is here. Save to replace it with yours, or
      <a href="${writePath(id)}">go on with the saved version</a>.
    </p>
    <div class="field">
      <label for="saved-free">Saved: the part that everyone reads</label>
      <textarea id="saved-free" rows="8" dir="auto" readonly>${saved.free ?? ""}</textarea>
    </div>
    <div class="field">
      <label for="saved-paid">Saved: the part that you sell</label>
      <textarea id="saved-paid" rows="8" dir="auto" readonly>${saved.paid ?? ""}</textarea>
    </div>
  </section>`

const more = (view: WriteView): Html => {
  const { fields } = view
  return html`<details>
    <summary>Address, language, comments and preview card</summary>
    ${
      fields.slug !== undefined &&
      line(view, {
        name: "slug",
        label: "Address of the post",
        hint: html`${view.address !== null && html`Now <span id="address">${view.address}</span>. `}Lower-case
        letters, digits and hyphens. Left empty, it follows the title until the post is published.`,
        value: fields.slug,
        max: 120
      })
    }${languages(view)}${check(view, "comments", "Readers may comment", fields.hasComments)}${line(view, {
      name: "cardTitle",
      label: "Title of the preview card",
      hint: "Shown when the post is shared. Left empty, it is the title.",
      value: fields.cardTitle,
      max: 400
    })}${line(view, {
      name: "cardDescription",
      label: "Words on the preview card",
      hint: "Left empty, they are the description.",
      value: fields.cardDescription,
      max: 1000
    })}${line(view, {
      name: "cardImage",
      label: "Picture on the preview card",
      hint: "The https address of a picture. Left empty, it is the first picture of the post.",
      value: fields.cardImage,
      max: 2048,
      mode: "url"
    })}${line(view, {
      name: "canonical",
      label: "First published at",
      hint: "The address of the original, if this post appeared elsewhere before.",
      value: fields.canonical,
      max: 2048,
      mode: "url"
    })}
  </details>`
}

const form = (view: WriteView): Html => {
  const { author, fields, id, isPublished, key, revision } = view
  return html`<form
    class="fields writing"
    id="post"
    method="post"
    action="${writePath(id ?? undefined)}"
    data-saves="${view.savesItself ? "itself" : "when pressed"}"
    data-saved="${view.isSaved ? "yes" : "no"}"
  >
    ${hidden("key", key)}${hidden("revision", revision)}${hidden("author", author)}${isPublished && hidden("published", "1")}${line(
      view,
      {
        name: "title",
        label: "Title",
        hint: "At most 200 characters.",
        value: fields.title,
        max: 400
      }
    )}${text(view, {
      name: "description",
      label: "Description",
      hint: "A sentence or two for lists, search results and shared links.",
      value: fields.description,
      rows: 3
    })}${section(view, "free", "The part that everyone reads", "Write in Markdown: **bold**, _italics_, # headings, > quotations, [links](https://…).", 16)}${check(
      view,
      "sell",
      "Sell the rest of this post",
      fields.isSold,
      "Without this, the whole post is free."
    )}
    <div class="field sold">
      ${section(view, "paid", "The part that you sell", "Only buyers read it. Leave it empty for a post that is free.", 10)}${line(
        view,
        {
          name: "price",
          label: "Price in XNO",
          hint: "For example 0.25. All of it is yours: there are no fees.",
          value: fields.price,
          max: 40,
          mode: "decimal"
        }
      )}
    </div>
    ${category(view, {
      name: "primary",
      label: "Category",
      hint: "Where readers will find it.",
      none: "Choose one"
    })}${category(view, { name: "secondary", label: "Second category", hint: "Optional.", none: "None" })}${method(
      view
    )}${text(view, {
      name: "details",
      label: "More about how it was made",
      hint: `Optional, and shown to readers. At most ${CREATION_DETAILS_CHARACTERS_MAX} characters.`,
      value: fields.details,
      rows: 2
    })}${check(view, "attested", "I reviewed this post and take responsibility for it", fields.isAttested)}${more(
      view
    )}
    <p class="act">
      <button class="button" type="submit">${isPublished ? "Save changes" : "Save draft"}</button>
      <button class="button quiet" type="submit" name="next" value="preview">Save and preview</button>${
        !isPublished &&
        html` <button class="button quiet" type="submit" name="next" value="publish">
          Save and go to publishing
        </button>`
      }
    </p>
  </form>`
}

/** The form that deletes a draft, of which lists say the title. */
export const deleteForm = (id: PostId, title?: Html): Html =>
  html`<details>
    <summary>Delete this draft${title !== undefined && html`<span class="sr">: ${title}</span>`}</summary>
    <p>It is gone for good, with its pictures and files.</p>
    <form class="act" method="post" action="${writePath(id)}/delete">
      <button class="button quiet" type="submit">Delete it</button>
    </form>
  </details>`

const deletion = ({ id, isPublished }: WriteView): Html | false =>
  id !== null && !isPublished && deleteForm(id)

/** The pictures of the post, and the way to its files. They belong to the form, so that nothing typed is lost. */
const files = (view: WriteView): Html => {
  const { fields, picture, pictures } = view
  const sections = (["free", "paid"] as const).filter((name) => fields[name] !== undefined)
  return picturesPart({ form: "post", pictures, picture, sections, wrong: wrongOf(view, "picture") })
}

/** Returns the page on which an author writes a post. */
export const writePage = (view: WriteView): Page =>
  formPage({
    title: view.fields.title === "" ? "New post" : view.fields.title,
    scripts: ["toolbar", "editor", "pictures", "saving"],
    kicker: view.isPublished ? "Published" : "Draft",
    heading: view.fields.title === "" ? html`New post` : html`<bdi>${view.fields.title}</bdi>`,
    content: html`${saving}${told(view)}${elsewhere(view)}${form(view)}${files(view)}${deletion(view)}
      <p class="note">
        ${view.id !== null && html`<a href="${previewPath(view.id)}">Preview</a> · `}<a href="${DESK}"
          >Back to your desk</a
        >
      </p>`
  })
