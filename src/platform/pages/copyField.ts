import { type Html, html } from "./html.ts"

/** Shows a text with a button that copies it. `label` begins with a capital letter. */
export const copyField = (label: string, text: string, shown: Html | string): Html =>
  html`<div class="copied">
    <p>${label}</p>
    <code class="copy">${shown}</code
    ><button class="button quiet" type="button" data-copy="${text}" hidden>
      Copy<span class="sr"> ${label.toLowerCase()}</span>
    </button>
  </div>`
