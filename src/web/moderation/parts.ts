import { field, hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { DESK, MODERATION } from "../browser/paths.ts"

export const ACCOUNTS = `${MODERATION}/accounts` as const
export const HEALTH = `${MODERATION}/health` as const
export const LOG = `${MODERATION}/log` as const
export const UPLOADS = `${MODERATION}/uploads` as const

const ENTRIES = [
  { path: MODERATION, name: "Reports" },
  { path: UPLOADS, name: "Uploads" },
  { path: ACCOUNTS, name: "Accounts" },
  { path: LOG, name: "Log" },
  { path: HEALTH, name: "Health" },
  { path: DESK, name: "Your desk" }
] as const

/** A page of the room of moderators. */
interface RoomPage {
  readonly title: string
  /** The entry of the menu to which it belongs. */
  readonly section: (typeof ENTRIES)[number]["path"]
  /** The outcome of a form. */
  readonly told: Html | null
  /** True for a page that has keys of its own. */
  readonly hasKeys?: boolean
  readonly content: Html
}

/** Returns a page of the room of moderators, with the links between its pages. */
export const roomPage = ({ content, hasKeys = false, section, title, told }: RoomPage): Page =>
  formPage({
    title,
    kicker: "Moderation",
    isWide: true,
    scripts: hasKeys ? ["moderating"] : [],
    content: html`<nav class="bar rooms" aria-label="Moderation">
        <ul>
          ${ENTRIES.map(({ name, path }) => html`<li>${path === section ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}</li>`)}
        </ul>
      </nav>
      ${told !== null && outcome(told)}${content}`
  })

/** The reasons of a form that was refused, and what is wrong with each. */
export interface RefusedReason {
  readonly text: string
  readonly forAuthor: string
  /** Null for a reason that is right. */
  readonly said: string | null
  readonly saidForAuthor?: string
}

/** A button of a form that needs a reason. */
export interface ReasonButton {
  readonly value: string
  readonly name: string
  /** The path of a page that asks once more. That page needs no reason yet, and keeps one. */
  readonly asks?: string
}

/** A form that needs a reason. Each of its buttons does something else. */
interface ReasonForm {
  readonly action: string
  /** Names the field on a page with several such forms. */
  readonly id: string
  readonly fields: Readonly<Record<string, string>>
  readonly buttons: ReadonlyArray<ReasonButton>
  /** True for buttons that have the keys 1, 2 and so on. */
  readonly hasKeys?: boolean
  readonly refused: RefusedReason | null
}

const reasonButton = ({ asks, name, value }: ReasonButton, key: string): Html =>
  asks === undefined
    ? html`<button class="button quiet" type="submit" name="do" value="${value}" data-key="${key}">
        ${name}
      </button>`
    : html`<button class="button quiet" type="submit" formaction="${asks}" formnovalidate data-key="${key}">
        ${name}
      </button>`

/** Returns a form that needs a reason, and takes another one for the author. */
export const reasonForm = ({ action, buttons, fields, hasKeys = false, id, refused }: ReasonForm): Html =>
  html`<form class="fields" method="post" action="${action}">
    ${Object.entries(fields).map(([name, value]) => hidden(name, value))}${field({
      name: id,
      label: "Reason",
      hint: "It's kept in the log, with your handle. The author never sees it.",
      wrong: refused?.said ?? false,
      control: ({ by, isInvalid }) =>
        html`<textarea
          id="${id}"
          name="reason"
          rows="2"
          required
          maxlength="500"
          dir="auto"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        >
${refused?.text}</textarea>`
    })}${field({
      name: `${id}-author`,
      label: "Sentence for the author (optional)",
      hint: "The author reads it when you hide, withdraw, restrict or undo that. Without it, they only read what was done.",
      wrong: refused?.saidForAuthor ?? false,
      control: ({ by, isInvalid }) =>
        html`<textarea
          id="${id}-author"
          name="author"
          rows="2"
          maxlength="500"
          dir="auto"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        >
${refused?.forAuthor}</textarea>`
    })}
    <p class="act">${buttons.map((button, at) => reasonButton(button, hasKeys ? String(at + 1) : ""))}</p>
  </form>`

/** Says which keys a page has, and lets a moderator switch them off. The script shows it. */
export const keysNote = (keys: Html): Html =>
  html`<p class="note choice" data-keys hidden>
    <input type="checkbox" id="keys" checked /> <label for="keys">Keys: ${keys}</label>
  </p>`

/** Returns a list of facts. */
export const facts = (
  name: string,
  all: ReadonlyArray<readonly [fact: string, value: Html | string]>
): Html =>
  html`<section class="files" aria-label="${name}">
    <ul>
      ${all.map(([fact, value]) => html`<li><span>${fact}</span> <span class="size">${value}</span></li>`)}
    </ul>
  </section>`

/** A sentence about what was not done. */
export const bad = (sentence: string): Html => html`<strong class="bad">${sentence}</strong>`
