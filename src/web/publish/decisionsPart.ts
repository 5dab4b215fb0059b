import { CREATION_DETAILS_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { textField } from "../account/textField.ts"
import { UNMAILED } from "../write/compared.ts"
import type { Control } from "../write/conflict.ts"
import type { Refused } from "../write/postForm.ts"
import {
  access,
  category,
  check,
  type ControlsView,
  languages,
  line,
  method,
  price,
  text,
  wrongOf
} from "../write/writeControls.ts"

/** The decisions of an author about a post, with the controls for what it still lacks. */
export interface DecisionsView extends ControlsView {
  readonly missing: ReadonlyArray<Refused>
  readonly name: string
  readonly handle: string
  readonly address: string
  /** True for a post with a part that can be sold. */
  readonly hasRest: boolean
  /** True for a draft that readers may get by mail: its author can decide against it. */
  readonly canBeMailed: boolean
  /** The address that the post has, or will have. */
  readonly url: string
  /** Says what a price is worth. */
  readonly about: AboutPrice
}

/** The controls for what an account or a post lacks, and that most pages do not show. */
const ONCE: Readonly<Record<"title" | "name" | "handle" | "address", (view: DecisionsView) => Html>> = {
  title: (view) =>
    line(view, {
      name: "title",
      label: "Title",
      hint: "At most 200 characters.",
      value: view.fields.title ?? "",
      max: 400
    }),
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

/** The controls that are folded away. */
const MORE: ReadonlyArray<Control> = ["cardTitle", "cardDescription", "cardImage", "canonical"]

const more = (view: DecisionsView): Html => {
  const { fields } = view
  const content = html`<summary>Preview card, and where it appeared first</summary>
    ${line(view, {
      name: "cardTitle",
      label: "Title of the preview card",
      hint: "Shown when the post is shared. If you leave it empty, we use the title.",
      value: fields.cardTitle ?? "",
      max: 400
    })}${line(view, {
      name: "cardDescription",
      label: "Text on the preview card",
      hint: "If you leave it empty, we use the description.",
      value: fields.cardDescription ?? "",
      max: 1000
    })}${line(view, {
      name: "cardImage",
      label: "Picture on the preview card",
      hint: "The https address of a picture. If you leave it empty, we use the first picture in the post.",
      value: fields.cardImage ?? "",
      max: 2048,
      mode: "url"
    })}${line(view, {
      name: "canonical",
      label: "First published at",
      hint: "The address of the original, if this post appeared elsewhere first.",
      value: fields.canonical ?? "",
      max: 2048,
      mode: "url"
    })}`
  return MORE.some((control) => view.elsewhere?.choices.has(control) || wrongOf(view, control))
    ? html`<details open>${content}</details>`
    : html`<details>${content}</details>`
}

/** True for what an author decides on the page itself. */
export const isDecided = (control: string, { hasRest }: Pick<DecisionsView, "hasRest">): boolean => {
  if (control === "sell" || control === "price") return hasRest
  return !["free", "paid", "attachments"].includes(control)
}

/** The controls of all decisions. They belong to the form that publishes the post, or saves it. */
export const decisionsPart = (view: DecisionsView): Html => {
  const { elsewhere, fields, url } = view
  const asksForMail = view.canBeMailed || elsewhere?.choices.has("unmailed") === true
  const once = Object.entries(ONCE).filter(
    ([name]) =>
      view.missing.some(({ control }) => control === name) ||
      wrongOf(view, name) !== undefined ||
      (name === "title" && view.elsewhere?.choices.has("title"))
  )
  return html`${hidden("_boxes", asksForMail ? "comments attested unmailed" : "comments attested")}${once.map(([, control]) => control(view))}${view.hasRest && html`${access(view)}${price(view, view.about)}`}${text(
    view,
    {
      name: "description",
      label: "Description",
      hint: "Shown in lists, search results and shared links. Until you write one, it's the first sentence.",
      value: fields.description ?? "",
      rows: 3
    }
  )}${category(view, { name: "primary", label: "Category", hint: "Where readers will find it." })}${category(view, { name: "secondary", label: "Second category", hint: "Optional.", none: "None" })}${languages(view)}${
    fields.slug !== undefined &&
    line(view, {
      name: "slug",
      label: "Address of the post",
      hint: html`Now <bdi dir="ltr">${url}</bdi>. Lower-case letters, digits and hyphens. If you leave it
        empty, it follows the title until you publish the post.`,
      value: fields.slug,
      max: 120
    })
  }${check(view, "comments", "Readers can comment", fields.hasComments === true)}${
    asksForMail &&
    check(
      view,
      "unmailed",
      UNMAILED,
      fields.isUnmailed === true,
      "You decide this once: a post that isn't emailed when it's first published is never emailed."
    )
  }${method(view)}${text(view, {
    name: "details",
    label: "More about how it was made",
    hint: `Optional, and shown to readers. At most ${CREATION_DETAILS_CHARACTERS_MAX} characters.`,
    value: fields.details ?? "",
    rows: 2
  })}${check(view, "attested", "I reviewed this post and take responsibility for it", fields.isAttested === true)}${more(view)}`
}
