import { type Html, html } from "../../platform/pages/html.ts"

/** Shows the text that a wallet signs, with a button that copies it. */
export const textToSign = (message: string): Html =>
  html`<div class="copied message-text">
    <p>Sign this text with your wallet</p>
    <pre class="copy" tabindex="0">${message}</pre>
    <button class="button quiet" type="button" data-copy="${message}" hidden>
      Copy<span class="sr"> the text</span>
    </button>
  </div>`
