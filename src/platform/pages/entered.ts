import { type Html, html } from "./html.ts"

/** The field in which the pages of a sign-in carry a form that waits for it. */
export const KEPT_FIELD = "kept"

/** Values that pages put into forms, or that a reader chose from a list: ids, moments, paths and single words. */
const NOT_ENTERED =
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\d(?:T.*Z)?|\/.*|[a-z_]*|.{0,3})$/s

/** The beginning of the names of fields that a page fills in by itself. */
const OWN_FIELD = "_"

/** Returns what a reader wrote into the fields of a form. */
export const enteredOf = (fields: Iterable<readonly [name: string, value: string]>): string =>
  [...fields]
    .filter(([name, value]) => !name.startsWith(OWN_FIELD) && !NOT_ENTERED.test(value))
    .map(([, value]) => value)
    .join("\n\n")

/** Shows what a reader wrote, so that it can be copied. */
export const enteredText = (entered: string): Html | false =>
  entered !== "" &&
  html`<div class="fields">
    <div class="field">
      <label for="entered">What you wrote</label>
      <textarea id="entered" rows="5" readonly dir="auto">${entered}</textarea>
    </div>
  </div>`
