import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import { field, hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { type Onward, onwardFields, withNote } from "../browser/onward.ts"

/** Returns the path of the page on which a reader chooses a name and a handle, and goes back from there. */
export const profilePath = (back: string): string => `/profile?back=${encodeURIComponent(back)}`

interface Names {
  readonly name: string
  readonly handle: string
}

interface NamesView {
  /** The page, or the form, that follows once the names are saved. */
  readonly onward: Onward
  /** Empty while the account has its original name. */
  readonly name: string
  readonly handle: string
  /** The saved names, so that a change in another tab is not overwritten. */
  readonly began: Names
  /** The reason why each was refused, in a sentence. */
  readonly wrong: { readonly name?: string | undefined; readonly handle?: string | undefined }
  /** True if lists of supporters show the account; null while a form waits for the name. */
  readonly isShownSupporter: boolean | null
}

/** Returns the names of an account that its owner chose. The original ones are left out. */
export const chosenNames = ({ handle, name }: Names): Names => ({
  name: isReservedName(name) ? "" : name,
  handle: isGeneratedHandle(handle) ? "" : handle
})

const supporterSwitch = ({ isShownSupporter, onward: { back } }: NamesView): Html | false =>
  isShownSupporter !== null &&
  html`<section aria-labelledby="supporters">
    <h2 class="label" id="supporters">Lists of supporters</h2>
    <p>
      ${
        isShownSupporter
          ? "Your name is in lists of people who buy and tip."
          : "Your name isn't in lists of people who buy and tip. Authors can see who paid them."
      }
    </p>
    <form class="act" method="post" action="/profile/supporters">
      ${hidden("back", back)}${hidden("show", isShownSupporter ? "no" : "yes")}<button
        class="button quiet"
        type="submit"
      >
        ${isShownSupporter ? "Take my name off" : "Show my name"}
      </button>
    </form>
  </section>`

/** Returns the page on which the owner of an account chooses the name and the handle that readers see. */
export const profilePage = (view: NamesView): Page => {
  const { handle, name, onward, wrong } = view
  return formPage({
    title: "Choose a name",
    content: withNote(
      onward,
      html`<p class="lede">It appears next to your comments. You don't need one to read or pay.</p>
        <form class="fields" method="post" action="/profile">
          ${onwardFields(onward)}${hidden("_name", view.began.name)}${hidden("_handle", view.began.handle)}${field(
            {
              name: "name",
              label: "Name",
              hint: "1 to 50 characters. You can change it at any time.",
              wrong: wrong.name,
              control: ({ by, isInvalid }) =>
                html`<input
                  id="name"
                  name="name"
                  type="text"
                  required
                  maxlength="100"
                  dir="auto"
                  autocomplete="nickname"
                  value="${name}"
                  aria-describedby="${by}"
                  aria-invalid="${isInvalid}"
                />`
            }
          )}${field({
            name: "handle",
            label: "Handle",
            hint: "4 to 30 letters (A to Z), digits and underscores. It's part of your page's address.",
            wrong: wrong.handle,
            isFocused: wrong.name === undefined,
            control: ({ by, isInvalid }) =>
              html`<input
                id="handle"
                name="handle"
                type="text"
                required
                maxlength="31"
                pattern="@?[A-Za-z0-9_]{4,30}"
                autocomplete="username"
                autocapitalize="none"
                spellcheck="false"
                value="${handle}"
                aria-describedby="${by}"
                aria-invalid="${isInvalid}"
              />`
          })}<button class="button" type="submit">Save</button>
        </form>
        <p class="note"><a href="${onward.back}">Not now</a></p>
        ${supporterSwitch(view)}`,
      wrong.name === undefined && wrong.handle === undefined
    )
  })
}
