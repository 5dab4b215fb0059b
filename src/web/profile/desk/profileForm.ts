import { field, hidden } from "../../../platform/pages/fields.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import type { PinnablePost } from "../../../publishing/posts/ownPosts.sql.ts"
import { textField } from "../../account/textField.ts"
import { BEGAN, type ProfileFields, type Refused } from "./profileFields.ts"

/** The content of the form of a profile. */
export interface ProfileFormView {
  readonly fields: ProfileFields
  /** The saved values. */
  readonly began: ProfileFields
  readonly refused: ReadonlyArray<Refused>
  /** The handle that the account has now; null before one was chosen. */
  readonly handle: string | null
  readonly pinnable: ReadonlyArray<PinnablePost>
}

type Control = keyof ProfileFields

const wrongOf = ({ refused }: ProfileFormView, control: Control) =>
  refused.find((it) => it.control === control)?.sentence

/** Returns a field of one line. The list of reasons above the form has the focus. */
const line = (
  view: ProfileFormView,
  name: Control,
  more: Omit<Parameters<typeof textField>[0], "name" | "value" | "wrong" | "isFocused">
) => textField({ ...more, name, value: view.fields[name], wrong: wrongOf(view, name), isFocused: false })

const handleHint = (handle: string | null) =>
  handle === null
    ? "4 to 30 letters (A to Z), digits and underscores. It's part of your page's address."
    : `4 to 30 letters (A to Z), digits and underscores. A new handle changes the addresses of your page and all your posts. Links with @${handle} lead to the new ones until someone else takes that handle.`

const bio = (view: ProfileFormView): Html =>
  field({
    name: "bio",
    label: "About you",
    hint: "At most 250 characters.",
    wrong: wrongOf(view, "bio"),
    isFocused: false,
    control: ({ by, isInvalid }) =>
      html`<textarea
        id="bio"
        name="bio"
        rows="4"
        dir="auto"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      >
${view.fields.bio}</textarea>`
  })

const option = (value: string, name: string, chosen: string): Html =>
  value === chosen
    ? html`<option value="${value}" selected>${name}</option>`
    : html`<option value="${value}">${name}</option>`

const pinned = (view: ProfileFormView): Html => {
  const { pinned: chosen } = view.fields
  // An older post stays chosen.
  const isListed = chosen === "" || view.pinnable.some(({ id }) => id === chosen)
  return field({
    name: "pinned",
    label: "Pinned post",
    hint: "It comes first on your page.",
    wrong: wrongOf(view, "pinned"),
    isFocused: false,
    control: ({ by, isInvalid }) =>
      html`<select id="pinned" name="pinned" aria-describedby="${by}" aria-invalid="${isInvalid}">
        ${option("", "None", chosen)}${!isListed && option(chosen, "The post that you chose", chosen)}${view.pinnable.map(
          ({ id, title }) => option(id, title, chosen)
        )}
      </select>`
  })
}

/** The form with everything that readers see of an author. */
export const profileForm = (view: ProfileFormView): Html =>
  html`<form class="fields" method="post" action="/desk/profile">
    ${hidden(BEGAN, JSON.stringify(view.began))}${line(view, "name", { label: "Name", hint: "1 to 50 characters.", max: 400, autocomplete: "nickname" })}${line(
      view,
      "handle",
      { label: "Handle", hint: handleHint(view.handle), max: 31, autocomplete: "username" }
    )}${bio(view)}${line(view, "location", {
      label: "Place",
      hint: "Where you are, or where you write about.",
      max: 640
    })}${line(view, "x", { label: "Your page on X", hint: "Its full address.", max: 2048, mode: "url" })}${line(
      view,
      "site",
      {
        label: "Your website",
        hint: "Or your page anywhere else. Its full address.",
        max: 2048,
        mode: "url"
      }
    )}${pinned(view)}${line(view, "tipLabel", {
      label: "Text of the tip button",
      hint: "1 to 40 characters. Readers can tip you once you have a payout address.",
      max: 320
    })}${line(view, "tip1", {
      label: "Small tip in XNO",
      hint: "Readers can also choose their own amount.",
      max: 32,
      mode: "decimal"
    })}${line(view, "tip2", { label: "Medium tip in XNO", hint: "", max: 32, mode: "decimal" })}${line(
      view,
      "tip3",
      {
        label: "Large tip in XNO",
        hint: "",
        max: 32,
        mode: "decimal"
      }
    )}<button class="button" type="submit">Save</button>
  </form>`
