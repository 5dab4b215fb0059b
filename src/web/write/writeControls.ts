import { Result } from "effect"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { readAmount } from "../../platform/nano/writtenAmount.ts"
import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { english } from "../pages/words/wordsIn.ts"
import { compared, type ComparedView, languageName } from "./compared.ts"
import type { Control } from "./conflict.ts"
import { NOT_TICKED, type Refused, type SentFields } from "./postForm.ts"

/** The parts of the view that controls show. */
export interface ControlsView extends ComparedView {
  readonly fields: SentFields
  readonly refused: ReadonlyArray<Refused>
  /** The sections that this form cannot rewrite, as readers see them. */
  readonly locked: Readonly<Partial<Record<"free" | "paid", LockedSection>>>
  /** The language that a draft has, perhaps by a guess; null for a public post, whose language is not guessed. */
  readonly guessed: string | null
}

/** A section with content that Markdown cannot say. */
interface LockedSection {
  readonly text: Html
  readonly features: ReadonlyArray<string>
}

/** Languages in which most posts are written. A post in another one keeps it. */
const LANGUAGES = "en de es fr it pt nl pl sv tr uk ru ar he fa hi id ja ko th vi zh".split(" ")

/** Returns the reasons for which a control was refused, in one sentence after the other. */
export const wrongOf = ({ refused }: ControlsView, control: string): string | undefined => {
  const sentences = refused.filter((it) => it.control === control).map(({ sentence }) => sentence)
  return sentences.length === 0 ? undefined : sentences.join(" ")
}

interface Line {
  readonly name: Control
  readonly label: string
  readonly hint: string | Html
  readonly value: string
  readonly max: number
  readonly mode?: "decimal" | "url"
}

/**
 * Labels a control with its hint, or with the reason for which it was refused. The list of reasons has the focus. A value that
 * was saved elsewhere stands beside it.
 */
const labelled = (
  view: ControlsView,
  { hint, label, name }: Pick<Line, "name" | "label" | "hint">,
  control: Parameters<typeof field>[0]["control"]
): Html =>
  compared(view, name, field({ name, label, hint, wrong: wrongOf(view, name), isFocused: false, control }))

/** A field of one line. */
export const line = (view: ControlsView, it: Line): Html =>
  labelled(
    view,
    it,
    ({ by, isInvalid }) =>
      html`<input
        id="${it.name}"
        name="${it.name}"
        type="text"
        inputmode="${it.mode ?? "text"}"
        maxlength="${it.max}"
        dir="auto"
        autocomplete="off"
        value="${it.value}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  )

/** Returns the hint of the price: what one XNO is worth, and what the price in the field is. */
const priceHint = (price: string, about: AboutPrice): string => {
  const priced = Result.getOrElse(readAmount(price), () => "1")
  const [one, worth] = [about("1"), about(priced)]
  const rate = one === null ? "" : ` 1 XNO is ${one}.`
  const sum = one === null || Number(priced) === 1 || worth === null ? "" : ` ${priced} XNO is ${worth}.`
  return `For example 0.25. All of it is yours: there are no fees.${rate}${sum}`
}

/** The field of the price. */
export const price = (view: ControlsView, about: AboutPrice): Html => {
  const value = view.fields.price ?? ""
  const hint = priceHint(value, about)
  return line(view, { name: "price", label: "Price in XNO", hint, value, max: 40, mode: "decimal" })
}

/** A field of many lines. */
export const text = (
  view: ControlsView,
  it: Omit<Line, "max"> & { readonly rows: number; readonly placeholder?: string }
): Html =>
  labelled(
    view,
    it,
    ({ by, isInvalid }) =>
      html`<textarea
        id="${it.name}"
        name="${it.name}"
        rows="${it.rows}"
        placeholder="${it.placeholder ?? ""}"
        dir="auto"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      >
${it.value}</textarea>`
  )

/** A section that this form cannot rewrite, as readers see it, with the reason. */
const locked = (label: string, section: LockedSection | undefined): Html => {
  const features = section?.features.map((it) => it.replaceAll("_", " ")).join(", ") ?? ""
  return html`<section class="field" aria-label="${label}">
    <strong>${label}</strong>
    <p class="hint">
      Another program wrote this part, with content that Markdown can't
      express${features !== "" && `: ${features}`}. You can't change it here, so it stays as it is.
    </p>
    ${section && html`<div class="prose" dir="auto">${section.text}</div>`}
  </section>`
}

/** A section of the post, or a note for one that this form cannot rewrite. */
export const section = (
  view: ControlsView,
  name: "free" | "paid",
  label: string,
  hint: string | Html,
  placeholder: string
): Html => {
  const value = view.fields[name]
  if (value === undefined) return locked(label, view.locked[name])
  return text(view, { name, label, hint, value, rows: 10, placeholder })
}

const option = (value: string, name: string, chosen: string): Html =>
  value === chosen
    ? html`<option value="${value}" selected>${name}</option>`
    : html`<option value="${value}">${name}</option>`

const radio = (name: Control, value: string, isChosen: boolean): Html =>
  isChosen
    ? html`<input name="${name}" type="radio" value="${value}" checked />`
    : html`<input name="${name}" type="radio" value="${value}" />`

/** A choice of categories as chips. Only the chosen one is shown until all are asked for; a style sheet does that. */
export const category = (
  view: ControlsView,
  {
    hint,
    label,
    name,
    none
  }: Pick<Line, "hint" | "label"> & {
    readonly name: "primary" | "secondary"
    /** The name of the choice of no category. */
    readonly none?: string
  }
): Html => {
  const chosen = view.fields[name] ?? ""
  const wrong = wrongOf(view, name)
  const chip = (value: string, words: string) =>
    html`<li><label class="choice">${radio(name, value, value === chosen)} ${words}</label></li>`
  const all = html`<summary>All categories</summary>`
  return compared(
    view,
    name,
    html`<div class="field" role="radiogroup" aria-labelledby="${name}">
      <strong id="${name}">${label}</strong>
      <p class="hint">${wrong === undefined ? hint : html`<strong class="bad">${wrong}</strong>`}</p>
      ${chosen === "" && none === undefined ? html`<details open>${all}</details>` : html`<details>${all}</details>`}
      <ul class="counts">
        ${none !== undefined && chip("", none)}${view.categories.map(({ id, name: words }) => chip(String(id), words))}
      </ul>
    </div>`
  )
}

/** A check box, with a hint or the reason for which it was refused. */
export const check = (
  view: ControlsView,
  name: Control,
  label: string,
  isChecked: boolean,
  hint?: string
): Html => {
  const wrong = wrongOf(view, name)
  const box = isChecked
    ? html`<input id="${name}" name="${name}" type="checkbox" value="1" checked />`
    : html`<input id="${name}" name="${name}" type="checkbox" value="1" />`
  const said = wrong === undefined ? (hint ?? "") : html`<strong class="bad">${wrong}</strong>`
  return compared(
    view,
    name,
    html`<div class="field">
      <label class="choice">${box} ${label}</label>
      <p class="hint">${said}</p>
    </div>`
  )
}

/** The choice of how a post was made, in the sentences that readers will see. */
export const method = (view: ControlsView): Html => {
  const wrong = wrongOf(view, "method")
  return compared(
    view,
    "method",
    html`<div class="field" role="radiogroup" aria-labelledby="method">
      <strong id="method">How was it made?</strong>
      <p class="hint">
        ${wrong === undefined ? "Readers see this sentence below your post." : html`<strong class="bad">${wrong}</strong>`}
      </p>
      ${Object.entries(english.creation).map(([value, words]) => html`<label class="choice">${radio("method", value, value === view.fields.method)} ${words}</label>`)}
    </div>`
  )
}

/** A choice of languages. A wrong one is read aloud and hyphenated wrongly, so a guess is said. */
export const languages = (view: ControlsView): Html => {
  const { guessed } = view
  const own = view.fields.language ?? ""
  const others = own === "" || LANGUAGES.includes(own) ? [] : [own]
  const described = {
    name: "language" as const,
    label: "Language",
    hint: "Browsers use it to translate the post, hyphenate it and read it aloud. A guess follows your text until you publish it."
  }
  return labelled(
    view,
    described,
    ({ by, isInvalid }) =>
      html`<select id="language" name="language" aria-describedby="${by}" aria-invalid="${isInvalid}">
        ${guessed !== null && option("", own === "" ? `${languageName(guessed)} (guessed)` : "Guess it from the text", own)}${[...others, ...LANGUAGES].map((tag) => option(tag, languageName(tag), own))}
      </select>`
  )
}

/** The choice between a post for everyone and one for buyers. */
export const access = (view: ControlsView): Html => {
  const wrong = wrongOf(view, "sell")
  const choice = (value: string, words: string, isChosen: boolean) =>
    html`<label class="choice">${radio("sell", value, isChosen)} ${words}</label>`
  return compared(
    view,
    "sell",
    html`<div class="field" id="sell" role="radiogroup" aria-labelledby="access">
      <strong id="access">Who reads the rest?</strong>
      ${wrong !== undefined && html`<p class="hint"><strong class="bad">${wrong}</strong></p>`}${choice("1", "Buyers", view.fields.isSold === true)}${choice(NOT_TICKED, "Everyone, for free", view.fields.isSold !== true)}
    </div>`
  )
}
