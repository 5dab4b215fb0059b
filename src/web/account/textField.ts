import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"

interface TextField {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly value: string
  /** UTF-16 code units that the browser lets people type, at most. The service counts as readers do. */
  readonly max: number
  /** The reason for which the value was refused. */
  readonly wrong?: string | undefined
  readonly isFocused?: boolean
  readonly mode?: "text" | "decimal" | "email" | "numeric" | "url"
  readonly autocomplete?: "off" | "email" | "one-time-code" | "nickname" | "username"
}

/** A field of one line. The service alone decides which text it takes. */
export const textField = ({
  autocomplete = "off",
  isFocused = true,
  max,
  mode = "text",
  value,
  ...described
}: TextField): Html =>
  field({
    ...described,
    isFocused,
    control: ({ by, isInvalid }) =>
      html`<input
        id="${described.name}"
        name="${described.name}"
        type="text"
        inputmode="${mode}"
        maxlength="${max}"
        dir="auto"
        autocomplete="${autocomplete}"
        autocapitalize="none"
        spellcheck="false"
        value="${value}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })
