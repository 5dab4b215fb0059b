import { Result } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { CREATION_DETAILS_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { readAmount } from "../../platform/nano/writtenAmount.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { DESK } from "../browser/paths.ts"
import { type PictureFields, picturesPart, type PictureView } from "../pictures/picturesPart.ts"
import { differences } from "./compared.ts"
import type { Control } from "./conflict.ts"
import type { Outcome, Told } from "./refusals.ts"
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
  /** True after a first press, when the next one makes the part for buyers public. */
  readonly isFreeing: boolean
  /** Tells the script of the page whether the form is saved, and why not. */
  readonly outcome: Outcome
  /** The account that opened the form, so that no other one in the same browser saves its text. Empty if it is not known. */
  readonly author: string
  /** The account that is signed in now; empty if none is. The script of the page offers kept texts to their author alone. */
  readonly owner: string
  /** The address of the post, as it is or will be; null for a post that was never saved. */
  readonly address: string | null
  /** Says what a price is worth. */
  readonly about: AboutPrice
  readonly pictures: ReadonlyArray<PictureView>
  readonly picture: PictureFields
}

const told = ({ elsewhere, id, refused, told }: WriteView): Html | false => {
  if (elsewhere !== null && id !== null) return differences(elsewhere, writePath(id))
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
    <p>${told?.said ?? "This hasn't been saved yet. Please check:"}</p>
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

/** The controls that are folded away. */
const MORE: ReadonlyArray<Control> = [
  "slug",
  "language",
  "comments",
  "cardTitle",
  "cardDescription",
  "cardImage",
  "canonical"
]

const SUMMARY = html`<summary>Address, language, comments and preview card</summary>`

const more = (view: WriteView): Html => {
  const isOpen = MORE.some((control) => view.elsewhere?.choices.has(control) || wrongOf(view, control))
  return isOpen
    ? html`<details open>${SUMMARY}${moreControls(view)}</details>`
    : html`<details>${SUMMARY}${moreControls(view)}</details>`
}

const moreControls = (view: WriteView): Html => {
  const { fields } = view
  return html`${
    fields.slug !== undefined &&
    line(view, {
      name: "slug",
      label: "Address of the post",
      hint: html`${view.address !== null && html`Now <span id="address">${view.address}</span>. `}Lower-case
      letters, digits and hyphens. If you leave it empty, it follows the title until you publish the post.`,
      value: fields.slug,
      max: 120
    })
  }${languages(view)}${check(view, "comments", "Readers can comment", fields.hasComments)}${line(view, {
    name: "cardTitle",
    label: "Title of the preview card",
    hint: "Shown when the post is shared. If you leave it empty, we use the title.",
    value: fields.cardTitle,
    max: 400
  })}${line(view, {
    name: "cardDescription",
    label: "Text on the preview card",
    hint: "If you leave it empty, we use the description.",
    value: fields.cardDescription,
    max: 1000
  })}${line(view, {
    name: "cardImage",
    label: "Picture on the preview card",
    hint: "The https address of a picture. If you leave it empty, we use the first picture in the post.",
    value: fields.cardImage,
    max: 2048,
    mode: "url"
  })}${line(view, {
    name: "canonical",
    label: "First published at",
    hint: "The address of the original, if this post appeared elsewhere first.",
    value: fields.canonical,
    max: 2048,
    mode: "url"
  })}`
}

/** Returns the hint of the price: what one XNO is worth, and what the price in the field is. */
const priceHint = ({ about, fields: { price } }: WriteView): string => {
  const priced = Result.getOrElse(readAmount(price), () => "1")
  const [one, worth] = [about("1"), about(priced)]
  const rate = one === null ? "" : ` 1 XNO is ${one}.`
  const sum = one === null || Number(priced) === 1 || worth === null ? "" : ` ${priced} XNO is ${worth}.`
  return `For example 0.25. All of it is yours: there are no fees.${rate}${sum}`
}

/** The hint of the paid part. It changes with the box that sells it, also without a script. */
const paidHint = html`<span class="if-sold"
    >Only buyers read it. Leave it empty for a post that is free.</span
  >
  <span class="if-free">Everyone reads it, because you don't sell it.</span>`

const form = (view: WriteView): Html => {
  const { author, elsewhere, fields, id, isPublished, key, revision } = view
  return html`<form
    class="fields writing"
    id="post"
    method="post"
    action="${writePath(id ?? undefined)}"
    data-outcome="${view.outcome}"
    data-owner="${view.owner}"
  >
    ${hidden("key", key)}${hidden("revision", revision)}${hidden("author", author)}${isPublished && hidden("published", "1")}${view.isFreeing && hidden("_free", "yes")}${elsewhere !== null && hidden("_differing", [...elsewhere.choices.keys()].join(" "))}${line(
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
      hint: "A sentence or two for lists, search results and shared links. Until you write it, it's the first sentence.",
      value: fields.description,
      rows: 3
    })}${section(view, "free", "The part that everyone reads", "Write in Markdown: **bold**, *italics*, # headings, > quotations, [links](https://…).", 16)}${check(
      view,
      "sell",
      "Sell the rest of this post",
      fields.isSold,
      "Without this, the whole post is free."
    )}
    <div class="field sold">
      ${section(view, "paid", fields.isSold ? "The part that you sell" : "More of the post, free for everyone", paidHint, 10)}${line(
        view,
        {
          name: "price",
          label: "Price in XNO",
          hint: priceHint(view),
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

/** The form that deletes a draft, with the title that lists show. */
export const deleteForm = (id: PostId, title?: Html): Html =>
  html`<details>
    <summary>Delete this draft${title !== undefined && html`<span class="sr">: ${title}</span>`}</summary>
    <p>This deletes it for good, with its pictures and files.</p>
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
    scripts: ["marks", "tools", "pasting", "editor", "copies", "editing", "places", "pictures", "saving"],
    kicker: view.isPublished ? "Published" : "Draft",
    heading: view.fields.title === "" ? html`New post` : html`<bdi>${view.fields.title}</bdi>`,
    content: html`${saving}${told(view)}${form(view)}${files(view)}${deletion(view)}
      <p class="note">
        ${view.id !== null && html`<a href="${previewPath(view.id)}">Preview</a> · `}<a href="${DESK}"
          >Back to your desk</a
        >
      </p>`
  })
