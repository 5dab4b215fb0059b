import { type Html, html } from "../../../platform/pages/html.ts"
import { english, type PageWords } from "../words/wordsIn.ts"

/**
 * The field and the button with which readers get the posts of an author by mail, without an account. The same for every
 * reader. Only programs fill in the second field.
 */
export const subscribeForm = ({ handle }: { readonly handle: string }, words: PageWords = english): Html =>
  html`<form class="find" method="post" action="/@${handle}/subscribe">
    <input
      name="email"
      type="email"
      required
      maxlength="320"
      autocomplete="email"
      placeholder="ada@example.org"
      dir="ltr"
      aria-labelledby="mail-me"
    />
    <span hidden><input name="website" type="text" tabindex="-1" autocomplete="off" value="" /></span>
    <button class="button quiet" id="mail-me" type="submit">${words.emailMe}</button>
  </form>`
