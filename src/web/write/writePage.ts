import { Result } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { readAmount } from "../../platform/nano/writtenAmount.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { type PictureFields, picturesPart, type PictureView } from "../pictures/picturesPart.ts"
import { bar } from "./bar.ts"
import { differences } from "./compared.ts"
import type { Outcome, Told } from "./refusals.ts"
import { check, type ControlsView, line, price, section, text, wrongOf } from "./writeControls.ts"

/** Returns the path of the page on which an author writes a post; a new one without an id. */
export const writePath = (id?: PostId): string => (id === undefined ? "/write" : `/write/${id}`)

/** Returns the path of the page on which an author publishes a draft, or takes a post off the site. */
export const publishPath = (id: PostId): string => `${writePath(id)}/publish`

/** Returns the path of the form with which an author publishes a draft later. */
export const schedulePath = (id: PostId): string => `${writePath(id)}/schedule`
/** Returns the path of the page with the mail about a post. */
export const mailPath = (id: PostId): string => `/write/${id}/mail`

/** Returns the path of the form that sends the mail about a post, or cancels it. */
export const mailingPath = (id: PostId): string => `/write/${id}/mailing`

/** Returns the path of the page that shows an author the post as readers will see it. */
export const previewPath = (id: PostId): string => `${writePath(id)}/preview`

/** Returns the path of the page on which an author attaches files for the buyers of a post. */
export const filesPath = (id: PostId): string => `${writePath(id)}/files`

export interface WriteView extends ControlsView {
  /** Null for a post that was never saved. */
  readonly id: PostId | null
  readonly isPublished: boolean
  /** True for a draft that becomes public by itself, and so must not save half a sentence. */
  readonly isScheduled: boolean
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
  /** Says what a price is worth. */
  readonly about: AboutPrice
  readonly pictures: ReadonlyArray<PictureView>
  readonly picture: PictureFields
}

/** The controls of the sheet that a refusal can be about. */
const CONTROLS = new Set(["title", "free", "sell", "paid", "price", "cardImage", "picture"])

/** Returns the place where an author changes what was refused. */
const placeOf = (control: string, id: PostId | null): string =>
  CONTROLS.has(control) || id === null ? `#${control}` : `${publishPath(id)}#${control}`

const told = ({ elsewhere, id, refused, told }: WriteView): Html | false => {
  if (elsewhere !== null && id !== null) return differences(elsewhere, writePath(id))
  if (refused.length === 0) {
    if (told === null) return false
    const { link, said, url } = told
    if (url !== undefined)
      return outcome(
        html`${said} <a href="${url}">See it</a>
          <button class="button quiet" type="button" data-copy="${url}" hidden>Copy link</button>`
      )
    return outcome(
      link === undefined
        ? said
        : html`${said} <a href="${link.path}" target="_blank" rel="noopener">${link.name}</a>, then save
            again.`
    )
  }
  return html`<div class="state" id="outcome" role="status" tabindex="-1" autofocus>
    <p>${told?.said ?? "This hasn't been saved yet. Please check:"}</p>
    ${refused.map(({ control, place, sentence }) => html`<p>${place === undefined ? html`<a href="${placeOf(control, id)}">${sentence}</a>` : html`<a href="#${control}" data-line="${place.line}" data-column="${place.column}">${sentence}</a>`}</p>`)}
  </div>`
}

/** Says that the text does not save itself. */
const scheduledNote = (id: PostId): Html =>
  html`<p class="hint">
    This draft is <a href="${publishPath(id)}">scheduled</a>, so it saves only when you press Save draft.
  </p>`

/** The offer of a text that was not saved. The script of the page fills it in. */
const offer = html`<div class="state" id="kept" role="status" hidden>
  <p></p>
  <p class="act">
    <button class="button quiet" type="button" value="back">Put it back</button>
    <button class="button quiet" type="button" value="discard">Discard it</button>
  </p>
</div>`

/** Returns what a price is worth, without the time of its rate. */
const worthOf = (about: AboutPrice, xno: string): string => {
  const worth = about(xno)
  return worth === null ? "" : ` (${worth.replace(/ \(.*$/, "")})`
}

/** Returns the words between the part that everyone reads and the rest. */
const termsOf = ({ about, fields: { isSold, price = "" } }: WriteView): string => {
  if (isSold === false) return "More, free for everyone"
  if (price === "") return "Paid from here · set a price"
  return Result.match(readAmount(price), {
    onFailure: () => `Paid from here · ${price}`,
    onSuccess: (xno) => `Paid from here · ${xno} XNO${worthOf(about, xno)}`
  })
}

/** The hint of the paid part. It changes with the box that sells it, also without a script. */
const paidHint = html`<span class="if-sold">Only buyers read it.</span>
  <span class="if-free">Everyone reads it, because you don't sell it.</span>`

const terms = (view: WriteView): Html => {
  const { fields } = view
  const isOpen = (["sell", "price"] as const).some(
    (control) => view.elsewhere?.choices.has(control) || wrongOf(view, control)
  )
  const summary = html`<summary class="tag price" id="terms">${termsOf(view)}</summary>`
  const controls = html`<div class="fields">
    ${price(view, view.about)}${check(view, "sell", "Sell the rest of this post", fields.isSold !== false, "Without this, the whole post is free.")}
  </div>`
  return isOpen
    ? html`<details open>${summary}${controls}</details>`
    : html`<details>${summary}${controls}</details>`
}

/** The part of the post below the wall, folded away as long as there is none. */
const rest = (view: WriteView): Html => {
  const { fields } = view
  const isOpen =
    fields.paid !== "" ||
    (["sell", "price", "paid"] as const).some(
      (control) => view.elsewhere?.choices.has(control) || wrongOf(view, control)
    )
  const label = fields.isSold === false ? "More of the post, free for everyone" : "The part that you sell"
  const content = html`<summary class="button quiet">+ Add a paid part</summary>
    ${terms(view)}${section(view, "paid", label, paidHint, "Write what only buyers read")}`
  return isOpen
    ? html`<details class="rest" open>${content}</details>`
    : html`<details class="rest">${content}</details>`
}

const form = (view: WriteView): Html => {
  const { author, elsewhere, fields, id, isPublished, key, revision } = view
  const { cardImage, language, slug } = fields
  const isCardShown = elsewhere?.choices.has("cardImage") || wrongOf(view, "cardImage") !== undefined
  return html`<form
    class="writing"
    id="post"
    method="post"
    action="${writePath(id ?? undefined)}"
    data-outcome="${view.outcome}"
    data-owner="${view.owner}"
  >
    ${hidden("key", key)}${hidden("revision", revision)}${hidden("author", author)}${isPublished && hidden("published", "1")}${view.isScheduled && hidden("scheduled", "1")}${view.isFreeing && hidden("_free", "yes")}${elsewhere !== null && hidden("_differing", [...elsewhere.choices.keys()].join(" "))}${slug !== undefined && hidden("slug", slug)}${language !== undefined && hidden("language", language)}${text(
      view,
      {
        name: "title",
        label: "Title",
        hint: "",
        value: fields.title ?? "",
        rows: 1,
        placeholder: "Title"
      }
    )}${section(view, "free", "The part that everyone reads", "", "Write in Markdown: **bold**, *italics*, # headings, > quotations, [links](https://…)")}${rest(view)}${
      cardImage !== undefined &&
      (isCardShown
        ? line(view, {
            name: "cardImage",
            label: "Picture on the preview card",
            hint: "The https address of a picture.",
            value: cardImage,
            max: 2048,
            mode: "url"
          })
        : hidden("cardImage", cardImage))
    }
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

/** Returns the page on which an author writes a post: a sheet of paper under a bar, and nothing else. */
export const writePage = (view: WriteView): Page => {
  const { id, isPublished } = view
  const { title = "" } = view.fields
  return {
    title: title === "" ? "New post" : title,
    isIndexed: false,
    isBare: true,
    scripts: [
      "marks",
      "tools",
      "pasting",
      "editor",
      "copies",
      "editing",
      "places",
      "pictures",
      "sheet",
      "saving"
    ],
    main: html`<div class="sheet">
      <h1 class="sr">${title === "" ? "New post" : html`<bdi>${title}</bdi>`}</h1>
      ${bar({ isPublished, decisions: id === null ? null : publishPath(id) })}
      <div class="paper">
        ${told(view)}${view.isScheduled && id !== null && scheduledNote(id)}${offer}${form(view)}
      </div>
      <div class="below">${files(view)}${deletion(view)}</div>
    </div>`
  }
}
