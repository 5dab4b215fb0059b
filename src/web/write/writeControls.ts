import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { CREATION_WORDS } from "../pages/parts/creation.ts"
import { compared, type ComparedView, languageName } from "./compared.ts"
import type { Control } from "./conflict.ts"
import type { PostFields, Refused } from "./postForm.ts"

/** The parts of the view that controls show. */
export interface ControlsView extends ComparedView {
  readonly fields: PostFields
  readonly refused: ReadonlyArray<Refused>
  /** The sections that this form cannot rewrite, as readers see them. */
  readonly locked: Readonly<Partial<Record<"free" | "paid", LockedSection>>>
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

/** A field of many lines. */
export const text = (
  view: ControlsView,
  it: Omit<Line, "max"> & { readonly rows: number; readonly above?: Html }
): Html =>
  labelled(
    view,
    it,
    ({ by, isInvalid }) =>
      html`${it.above}<textarea
          id="${it.name}"
          name="${it.name}"
          rows="${it.rows}"
          placeholder=" "
          dir="auto"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        >
${it.value}</textarea>`
  )

/** Tools: the name of each in our script, the words of its button, and a key. */
const TOOLS = [
  ["heading", "Heading"],
  ["bold", "Bold", "b"],
  ["italic", "Italic", "i"],
  ["underline", "Underline"],
  ["quote", "Quote"],
  ["code", "Code"],
  ["link", "Link", "k"],
  ["list", "List"],
  ["numbers", "Numbered list"],
  ["strike", "Strike"]
] as const

/** The buttons that write Markdown into a text. They stay hidden without a script. */
const toolbar = (name: string, label: string): Html =>
  html`<div class="tools" role="toolbar" data-for="${name}" aria-label="Markdown for ${label}" hidden>
    ${TOOLS.map(([tool, words, key]) =>
      key === undefined
        ? html`<button type="button" data-tool="${tool}">${words}</button>`
        : html`<button
            type="button"
            data-tool="${tool}"
            data-key="${key}"
            title="${words} (Ctrl+${key.toUpperCase()})"
          >
            ${words}
          </button>`
    )}
  </div>`

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
  rows: number
): Html => {
  const value = view.fields[name]
  if (value === undefined) return locked(label, view.locked[name])
  return text(view, { name, label, hint, value, rows, above: toolbar(name, label) })
}

const option = (value: string, name: string, chosen: string): Html =>
  value === chosen
    ? html`<option value="${value}" selected>${name}</option>`
    : html`<option value="${value}">${name}</option>`

/** A choice of categories. */
export const category = (
  view: ControlsView,
  it: Pick<Line, "hint" | "label"> & { readonly name: "primary" | "secondary"; readonly none: string }
): Html => {
  const chosen = view.fields[it.name]
  return labelled(
    view,
    it,
    ({ by, isInvalid }) =>
      html`<select id="${it.name}" name="${it.name}" aria-describedby="${by}" aria-invalid="${isInvalid}">
        ${option("", it.none, chosen)}${view.categories.map(({ id, name }) => option(String(id), name, chosen))}
      </select>`
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
      ${Object.entries(CREATION_WORDS).map(([value, words]) => {
        const input =
          value === view.fields.method
            ? html`<input name="method" type="radio" value="${value}" checked />`
            : html`<input name="method" type="radio" value="${value}" />`
        return html`<label class="choice">${input} ${words}</label>`
      })}
    </div>`
  )
}

/** A choice of languages. It is never guessed: a wrong one is read aloud and hyphenated wrongly. */
export const languages = (view: ControlsView): Html => {
  const own = view.fields.language
  const others = own === "" || LANGUAGES.includes(own) ? [] : [own]
  const described = {
    name: "language" as const,
    label: "Language",
    hint: "Browsers use it to translate the post, hyphenate it and read it aloud."
  }
  return labelled(
    view,
    described,
    ({ by, isInvalid }) =>
      html`<select id="language" name="language" aria-describedby="${by}" aria-invalid="${isInvalid}">
        ${[...others, ...LANGUAGES].map((tag) => option(tag, languageName(tag), own))}
      </select>`
  )
}
