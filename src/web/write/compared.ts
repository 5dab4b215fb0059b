import { type Html, html } from "../../platform/pages/html.ts"
import { english } from "../pages/words/wordsIn.ts"
import { type Choices, choiceName, type Control } from "./conflict.ts"
import type { PostFields } from "./postForm.ts"

/** A version that was saved elsewhere, and the controls on which an author decides. */
export interface SavedElsewhere {
  readonly fields: PostFields
  readonly choices: Choices
  /** Says that the post was published, or taken off the site, since the author began; empty if neither. */
  readonly moved: string
}

/** The parts of the view that a comparison shows. */
export interface ComparedView {
  readonly elsewhere: SavedElsewhere | null
  readonly categories: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

/** The name of the box that keeps a post from being mailed. */
export const UNMAILED = "Don't email it to my readers"

/** The names of the controls, for people. */
const LABELS: Readonly<Record<Control, string>> = {
  title: "Title",
  description: "Description",
  free: "The part that everyone reads",
  sell: "Sell the rest of this post",
  paid: "The part that you sell",
  price: "Price in XNO",
  primary: "Category",
  secondary: "Second category",
  method: "How was it made?",
  details: "More about how it was made",
  attested: "I reviewed this post and take responsibility for it",
  slug: "Address of the post",
  language: "Language",
  comments: "Readers can comment",
  unmailed: UNMAILED,
  cardTitle: "Title of the preview card",
  cardDescription: "Text on the preview card",
  cardImage: "Picture on the preview card",
  canonical: "First published at"
}

const names = new Intl.DisplayNames(["en"], { type: "language" })

/** Returns the name of a language; any other text as it is. */
export const languageName = (tag: string): string => {
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}

const yesOrNo = (isOn: boolean) => (isOn ? "Yes" : "No")

/** Returns a saved value in words. */
const wordsOf = ({ categories }: ComparedView, saved: PostFields, control: Control): string => {
  const category = (id: string) => categories.find((it) => String(it.id) === id)?.name ?? "None"
  switch (control) {
    case "primary":
      return category(saved.primary)
    case "secondary":
      return category(saved.secondary)
    case "sell":
      return yesOrNo(saved.isSold)
    case "comments":
      return yesOrNo(saved.hasComments)
    case "unmailed":
      return yesOrNo(saved.isUnmailed)
    case "attested":
      return yesOrNo(saved.isAttested)
    case "language":
      return languageName(saved.language)
    case "method":
      return (
        (Object.entries(english.creation) as ReadonlyArray<[string, string]>).find(
          ([method]) => method === saved.method
        )?.[1] ?? "Nothing yet"
      )
    case "slug":
      return saved.slug === "" ? "Follows the title" : (saved.slug ?? "")
    default:
      return saved[control] ?? ""
  }
}

const value = (view: ComparedView, saved: PostFields, control: Control): Html => {
  const id = `saved-${control}`
  const label = `Saved: ${LABELS[control].toLowerCase()}`
  const words = wordsOf(view, saved, control)
  return control === "free" || control === "paid"
    ? html`<label for="${id}">${label}</label>
        <textarea id="${id}" rows="8" dir="auto" readonly>${words}</textarea>`
    : html`<strong id="${id}">${label}</strong>
        <p dir="auto">${words === "" ? html`<em>Empty</em>` : words}</p>`
}

const choice = (view: SavedElsewhere, control: Control, kept: "mine" | "saved", label: string): Html => {
  const name = choiceName(control)
  const input =
    view.choices.get(control) === kept
      ? html`<input name="${name}" type="radio" value="${kept}" required checked />`
      : html`<input name="${name}" type="radio" value="${kept}" required />`
  return html`<label class="choice">${input} ${label}</label>`
}

/** Puts the value that was saved elsewhere next to a field, with the choice between both. */
export const compared = (view: ComparedView, control: Control, field: Html): Html => {
  const { elsewhere } = view
  if (!elsewhere?.choices.has(control)) return field
  const { fields } = elsewhere
  return html`<div class="both">
    ${field}
    <div class="field">${value(view, fields, control)}</div>
    <div class="field" id="choose-${control}" role="radiogroup" aria-label="${LABELS[control]}: which one?">
      ${choice(elsewhere, control, "mine", "Keep mine")}${choice(elsewhere, control, "saved", "Take the saved one")}
    </div>
  </div>`
}

/** Says that another version was saved, and leads to each value that differs. */
export const differences = (saved: SavedElsewhere, again: string): Html =>
  html`<div class="state" id="outcome" role="status" tabindex="-1" autofocus>
    <p>
      This post was changed elsewhere since you opened it. ${saved.moved}
      ${
        saved.choices.size === 0
          ? "Nothing that you wrote differs from it. Save to go on."
          : "Choose what to keep, then save. Nothing is replaced that you don't choose:"
      }
    </p>
    <p class="act">
      ${[...saved.choices.keys()].map((control) => html`<a href="#choose-${control}">${LABELS[control]}</a> `)}
    </p>
    <p class="act"><a href="${again}">Continue with the saved version</a></p>
  </div>`
