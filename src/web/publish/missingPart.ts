import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { textField } from "../account/textField.ts"
import type { Refused } from "../write/postForm.ts"
import { category, check, type ControlsView, line, method, text, wrongOf } from "../write/writeControls.ts"

/** The parts that a draft lacks to be public, with the controls that fill it in. */
export interface MissingView extends ControlsView {
  readonly missing: ReadonlyArray<Refused>
  readonly name: string
  readonly handle: string
  readonly address: string
}

/** Each control that the page has, in its order. */
const CONTROLS: Readonly<Record<string, (view: MissingView) => Html>> = {
  title: (view) =>
    line(view, {
      name: "title",
      label: "Title",
      hint: "At most 200 characters.",
      value: view.fields.title,
      max: 400
    }),
  description: (view) =>
    text(view, {
      name: "description",
      label: "Description",
      hint: "Shown in lists, search results and shared links. Until you write one, it's the first sentence.",
      value: view.fields.description,
      rows: 3
    }),
  price: (view) =>
    line(view, {
      name: "price",
      label: "Price in XNO",
      hint: "For example 0.25. All of it is yours: there are no fees.",
      value: view.fields.price,
      max: 40,
      mode: "decimal"
    }),
  primary: (view) =>
    category(view, {
      name: "primary",
      label: "Category",
      hint: "Where readers will find it.",
      none: "Choose one"
    }),
  secondary: (view) =>
    category(view, { name: "secondary", label: "Second category", hint: "Optional.", none: "None" }),
  method,
  attested: (view) =>
    check(view, "attested", "I reviewed this post and take responsibility for it", view.fields.isAttested),
  name: (view) =>
    textField({
      name: "name",
      label: "Your name",
      hint: "1 to 50 characters. Readers see it with all your posts.",
      value: view.name,
      max: 400,
      wrong: wrongOf(view, "name"),
      isFocused: false,
      autocomplete: "nickname"
    }),
  handle: (view) =>
    textField({
      name: "handle",
      label: "Your handle",
      hint: "4 to 30 letters (A to Z), digits and underscores. It's part of the address of your posts.",
      value: view.handle,
      max: 31,
      wrong: wrongOf(view, "handle"),
      isFocused: false,
      autocomplete: "username"
    }),
  address: (view) =>
    textField({
      name: "address",
      label: "Payout address",
      hint: "Everything that readers pay goes straight to it. Your wallet shows it under “Receive”.",
      value: view.address,
      max: 200,
      wrong: wrongOf(view, "address"),
      isFocused: false
    })
}

/** True for what an author fills in on the page itself. */
export const isFilledIn = (control: string): boolean => Object.hasOwn(CONTROLS, control)

/** The controls for what is missing. They belong to the form that publishes. */
export const missingPart = (view: MissingView): Html => {
  const asked = Object.keys(CONTROLS).filter((name) => view.missing.some(({ control }) => control === name))
  return html`${hidden("_asked", asked.join(" "))}${asked.map((name) => CONTROLS[name]?.(view))}`
}
