import type { Import } from "../../../schemas/publishing/imports/Import.ts"
import type { Item } from "../../../schemas/publishing/imports/Item.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { day } from "../pages/parts/values.ts"
import { writePath } from "../write/writePage.ts"
import { countOf, OUTCOMES, SEVERITIES } from "./importWords.ts"
import { importPath } from "./paths.ts"

interface ItemView {
  readonly id: Import["id"]
  readonly item: Item
  readonly description: string
  readonly language: string
  /** The sections by the renderer of posts; null for one that is empty. */
  readonly free: Html | null
  readonly paid: Html | null
}

type Line = Item["report"][number]

const SECTIONS = { free: "in the free part", paid: "in the paid part", meta: null } as const

const placeOf = ({ line, section }: Line): string => {
  const place = [line === null ? null : `line ${line}`, SECTIONS[section]].filter((it) => it !== null)
  return place.length === 0 ? "" : ` (${place.join(" ")})`
}

/** A line of a report in words, with its place and the text that it is about. */
const reportLine = (it: Line): Html =>
  html`<li>
    ${it.message}${placeOf(it)}${it.excerpt !== "" && html`<br /><q dir="auto">${it.excerpt}</q>`}
  </li>`

const ORDER = ["stop", "lost", "changed", "note"] as const

/** The report of an item, the gravest first. */
const reportPart = ({ report }: Item): Html =>
  report.length === 0
    ? html`<p>Everything is kept as it was.</p>`
    : html`${ORDER.map((severity) => {
        const lines = report.filter((it) => it.severity === severity)
        return (
          lines.length > 0 &&
          html`<h3>${SEVERITIES[severity]}</h3>
            <ul>
              ${lines.map(reportLine)}
            </ul>`
        )
      })}`

/** Returns the page of an item as readers will see it, with what differs from its source. */
export const itemPage = ({ description, free, id, item, language, paid }: ItemView): Page =>
  formPage({
    title: item.title,
    kicker: OUTCOMES[item.outcome],
    heading: html`<bdi>${item.title}</bdi>`,
    isWide: true,
    content: html`<p class="note">
        <a href="${importPath(id)}">All posts of this file</a
        >${item.postId !== null && html` · <a href="${writePath(item.postId)}">Open the draft</a>`}
      </p>
      <p class="size">
        ${item.access === "paid" ? "Paid" : "Free"}${item.datedAt !== null && html` · ${day(item.datedAt, "en")}`}${item.author !== null && html` · by <bdi>${item.author}</bdi>`}${item.images.total > 0 && ` · ${countOf(item.images.total, "picture", "pictures")}, shown in the draft`}
      </p>
      <section class="files" aria-labelledby="report">
        <h2 class="label" id="report">What's different here</h2>
        ${reportPart(item)}
      </section>
      ${
        item.postId !== null &&
        html`<p class="hint">
          Below is the post as your file has it. <a href="${writePath(item.postId)}">The draft</a> is what
          readers will get.
        </p>`
      }
      <article class="prose" lang="${language}" dir="auto">
        ${description !== "" && html`<p class="lede">${description}</p>`}${free}${
          paid !== null &&
          html`<p class="label" lang="en" dir="ltr">Readers pay to read on from here</p>
            ${paid}`
        }
      </article>`
  })
