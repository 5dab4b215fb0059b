import { type Html, html } from "./html.ts"

/** Returns a field that readers do not see. */
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`

/** A field of a form, with a hint or an error below it. */
interface Field {
  /** The id of the control. */
  readonly name: string
  readonly label: string
  readonly hint: Hint
  /** The reason for which the value was refused. */
  readonly wrong?: Hint | false | undefined
  readonly control: (described: Described) => Html
  /** False when another part of the page has the focus after a refusal. Only one part of a page can have it. */
  readonly isFocused?: boolean
}

type Hint = string | Html

/** The state of a control, and the text that describes it. */
interface Described {
  readonly by: string
  readonly isInvalid: "true" | "false"
}

/**
 * Labels a control, and joins it to its hint, or to the reason for which its value was refused. The focus goes to the reason
 * when the page is loaded.
 */
export const field = ({ control, hint, isFocused = true, label, name, wrong }: Field): Html => {
  const isWrong = wrong !== undefined && wrong !== false
  const reason = isWrong && html`<strong class="bad">${wrong}</strong>`
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${control({ by: `${name}-hint`, isInvalid: isWrong ? "true" : "false" })}
    ${
      isWrong && isFocused
        ? html`<p class="hint" id="${name}-hint" tabindex="-1" autofocus>${reason}</p>`
        : html`<p class="hint" id="${name}-hint">${isWrong ? reason : hint}</p>`
    }
  </div>`
}

/**
 * Tells the outcome of a form. The focus goes to it when the page is loaded, with a script and without one, so that it
 * is read first.
 */
export const outcome = (said: Hint): Html =>
  html`<p class="state" id="outcome" role="status" tabindex="-1" autofocus>${said}</p>`
