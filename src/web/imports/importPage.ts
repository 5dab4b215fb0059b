import type { Category as CategorySchema } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { Import } from "../../../schemas/publishing/imports/Import.ts"
import type { Item } from "../../../schemas/publishing/imports/Item.ts"
import { field, hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { pager } from "../pages/parts/pager.ts"
import { day } from "../pages/parts/values.ts"
import { english } from "../pages/words/wordsIn.ts"
import { writePath } from "../write/writePage.ts"
import { countOf, KINDS, OUTCOMES, sizeOf, STATES } from "./importWords.ts"
import { IMPORT, importPath, itemPath, listPath, type Show, SHOWS } from "./paths.ts"
import { sendForm } from "./startPage.ts"

type Category = typeof CategorySchema.Type

/** The page of an import, with the items of one of its lists. */
export interface ImportView {
  readonly value: Import
  readonly items: ReadonlyArray<Item>
  readonly show: Show
  readonly next: string | null
  readonly isFirst: boolean
  readonly categories: ReadonlyArray<Category>
  /** The keys of the requests that the forms send. */
  readonly key: string
  /** Tells the outcome of a form. */
  readonly told: string | null
  readonly wrong: string | null
}

/** States in which nothing is left to wait for. */
const isResting = ({ state }: Import): boolean =>
  state === "review" || state === "done" || state === "failed" || state === "cancelled"

const act = (id: Import["id"], name: string, label: string, isQuiet = true): Html =>
  html`<form method="post" action="${importPath(id)}">
    ${hidden("do", name)}<button class="${isQuiet ? "button quiet" : "button"}" type="submit">
      ${label}
    </button>
  </form>`

const PHASES = {
  file: ({ done, total }) => `${sizeOf(done)} of ${total === null ? "your file" : sizeOf(total)} arrived.`,
  reading: ({ done }) => `${countOf(done, "post", "posts")} read so far.`,
  apply: ({ done, total }) =>
    `${done.toLocaleString("en")} of ${countOf(total ?? done, "draft", "drafts")} made.`,
  publish: ({ done, total }) =>
    `${done.toLocaleString("en")} of ${countOf(total ?? done, "post", "posts")} published.`
} as const satisfies Record<
  Import["progress"]["phase"],
  (progress: Pick<Import["progress"], "done" | "total">) => string
>

/** Tells the progress of an import. */
export const progressOf = ({ progress }: Pick<Import, "progress">): string => PHASES[progress.phase](progress)

/** The progress of an import that works. Its script looks again, and reads the page again when the state has changed. */
const progressPart = (value: Import): Html =>
  html`<p class="lede" id="progress" role="status" data-state="${value.state}" data-working>
      ${progressOf(value)}
    </p>
    <p class="act"><a class="button" href="${importPath(value.id)}">Check again</a></p>
    ${act(value.id, "cancel", "Stop")}
    <p class="hint">You can close this page: it goes on without you.</p>`

const arrivingPart = (value: Import, key: string): Html =>
  html`<p class="lede">${PHASES.file(value.progress)} Choose the same file again to go on from there.</p>
    ${sendForm(key)}${act(value.id, "cancel", "Stop")}`

const number = (path: string, count: number, name: string, more: string): Html =>
  html`<li>
    <a href="${path}"><strong>${count.toLocaleString("en")}</strong> ${name}</a>
    <span class="hint">${more}</span>
  </li>`

/** The three numbers that say how much of a file stays, each a link to its posts. */
const numbers = ({ counts, id }: Import): Html =>
  html`<section aria-label="Numbers">
    <ul class="numbers">
      ${number(listPath(id, "ready"), counts.new + counts.update, "ready", "Become drafts when you say so")}${number(
        listPath(id, "otherwise"),
        counts.changed,
        "said otherwise",
        "Complete, in other words than there"
      )}${number(listPath(id, "left"), counts.skipped + counts.refused, "not brought", "The list says why")}
    </ul>
  </section>`

const picturesLine = ({ images }: Import): Html | false => {
  const { admitted, failed, hosts, inArchive, remote } = images
  if (inArchive + remote === 0) return false
  const from = hosts.map(({ host }) => host)
  return html`<p>
    ${countOf(inArchive + remote, "picture", "pictures")}: ${inArchive.toLocaleString("en")} in the
    file${remote > 0 && html`, ${remote.toLocaleString("en")} to fetch${from.length > 0 && html` from <bdi>${from.slice(0, 5).join(", ")}</bdi>${from.length > 5 && " and others"}`}`}.${admitted > 0 && ` ${admitted.toLocaleString("en")} are here.`}${failed > 0 && html` <strong class="bad">${failed.toLocaleString("en")} could not be brought.</strong>`}
  </p>`
}

const textInput = (
  name: string,
  value: string,
  described: { by: string; isInvalid: string },
  more: Html | false = false
): Html =>
  html`<input
      id="${name}"
      name="${name}"
      type="text"
      value="${value}"
      autocomplete="off"
      dir="auto"
      aria-describedby="${described.by}"
      aria-invalid="${described.isInvalid}"
    />${more}`

const priceField = (): Html =>
  field({
    name: "price",
    label: "Price of paid posts, in XNO",
    hint: "Optional. For posts that have no price of their own. You can set it later, post by post.",
    control: (described) => textInput("price", "", described)
  })

const categoryField = (categories: ReadonlyArray<Category>): Html =>
  field({
    name: "category",
    label: "Category",
    hint: "For posts whose own tags match none.",
    control: ({ by, isInvalid }) =>
      html`<select id="category" name="category" aria-describedby="${by}" aria-invalid="${isInvalid}">
        <option value="">None</option>
        ${categories.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
      </select>`
  })

/** Questions to an author before drafts are made. None has to be answered. */
const questions = ({ site }: Import): Html =>
  html`<details>
    <summary>Price, language and your old address</summary>
    ${priceField()}${
      site.url === null &&
      field({
        name: "site",
        label: "Address of your old site",
        hint: "Such as https://blog.example. It completes links and pictures that name no site.",
        control: (described) => textInput("site", "", described)
      })
    }${
      site.language === null &&
      field({
        name: "language",
        label: "Language",
        hint: "Such as en, de or pt-BR, for posts that don't say theirs.",
        control: (described) => textInput("language", "", described)
      })
    }
    <label class="choice"
      ><input type="checkbox" name="replace" value="1" /> Replace what I edited here with the file's
      version</label
    >
    <label class="choice"
      ><input type="checkbox" name="nofetch" value="1" /> Don't fetch pictures from other sites</label
    >
  </details>`

const worst = (item: Item): Html | false => {
  const count = (severity: Item["report"][number]["severity"]) =>
    item.report.filter((it) => it.severity === severity).length
  const stop = item.report.find((it) => it.severity === "stop")
  const said = [
    count("lost") > 0 && countOf(count("lost"), "loss", "losses"),
    count("changed") > 0 && `${count("changed")} said otherwise`
  ].filter((it) => it !== false)
  if (stop !== undefined) return html`<br /><span class="bad">${stop.message}</span>`
  return said.length > 0 && html`<br /><span class="size">${said.join(", ")}</span>`
}

const row = (id: Import["id"], item: Item, hasBox: boolean): Html => {
  const title = html`<bdi>${item.title === "" ? "Untitled" : item.title}</bdi>`
  return html`<li>
    ${
      hasBox
        ? html`<label class="choice"
            ><input type="checkbox" name="item.${item.ordinal}" value="${item.id}" /> ${title}</label
          >`
        : title
    }
    <span class="size"
      >${OUTCOMES[item.outcome]} ·
      ${item.access === "paid" ? "paid" : "free"}${item.datedAt !== null && html` · ${day(item.datedAt, "en")}`}${item.status !== "published" && ` · ${item.status}`}
      · <a href="${itemPath(id, item.id)}">See it<span class="sr"> as it will look: ${item.title}</span></a
      >${item.postId !== null && html` · <a href="${writePath(item.postId)}">Open the draft<span class="sr"> of ${item.title}</span></a>`}</span
    >${worst(item)}
  </li>`
}

const filters = ({ id }: Import, chosen: Show): Html =>
  html`<nav aria-label="Filter">
    <ul class="chips">
      ${(Object.keys(SHOWS) as Array<Show>).map(
        (show) =>
          html`<li>
            ${show === chosen ? html`<a href="${listPath(id, show)}" aria-current="page">${SHOWS[show]}</a>` : html`<a href="${listPath(id, show)}">${SHOWS[show]}</a>`}
          </li>`
      )}
    </ul>
  </nav>`

const publishPart = ({ categories, value }: ImportView): Html | false =>
  value.state === "done" &&
  html`<fieldset class="files">
    <legend class="label">Publish the ones you ticked</legend>
    <div role="radiogroup" aria-labelledby="method">
      <strong id="method">How were they made?</strong>
      <p class="hint">Readers see this sentence below each post.</p>
      ${Object.entries(english.creation).map(([method, words]) => html`<label class="choice"><input type="radio" name="method" value="${method}" /> ${words}</label>`)}
    </div>
    <label class="choice"
      ><input type="checkbox" name="attested" value="1" /> I reviewed these posts and take responsibility for
      them</label
    >
    ${categories.length > 0 && categoryField(categories)}
    <p class="act">
      <button class="button" type="submit" name="do" value="publish">Publish selected</button>
    </p>
  </fieldset>`

const rows = ({ items, value }: ImportView, canApply: boolean): Html =>
  items.length === 0
    ? html`<p>There are no such posts in this file.</p>`
    : html`<ul class="plain">
        ${items.map((item) => row(value.id, item, canApply))}
      </ul>`

/** The form with which an author chooses what becomes a draft, and publishes drafts. */
const choice = (view: ImportView): Html => {
  const { items, key, value } = view
  const { counts, id } = value
  return html`<form method="post" action="${importPath(id)}">
    ${hidden("key", key)}${
      counts.new + counts.update > 0 &&
      html`<p class="act">
        <button class="button" type="submit" name="do" value="all">Create drafts</button>
      </p>`
    }${questions(value)}${rows(view, true)}${
      items.length > 0 &&
      html`<p class="act">
        <button class="button quiet" type="submit" name="do" value="selected">
          Create drafts of the ticked
        </button>
      </p>`
    }${publishPart(view)}
  </form>`
}

const list = (view: ImportView): Html => {
  const { isFirst, next, show, value } = view
  const canApply = value.state === "review" || value.state === "done"
  const first = listPath(value.id, show)
  return html`${filters(value, show)}${canApply ? choice(view) : rows(view, false)}${pager(
    next === null ? null : listPath(value.id, show, next),
    isFirst ? null : first
  )}`
}

const FORMATS = [
  { format: "csv", name: "table (CSV)" },
  { format: "ghost", name: "Ghost" },
  { format: "apache", name: "Apache" },
  { format: "json", name: "JSON" }
] as const

const redirectsPart = ({ id, kind }: Import): Html =>
  html`<section class="files" aria-labelledby="redirects">
    <h2 class="label" id="redirects">Your old addresses</h2>
    ${
      kind === "substack" || kind === "medium"
        ? html`<p>${KINDS[kind]} can't send readers on from old addresses. Link to your new home there.</p>`
        : html`<p>
            Send readers on from your old site:
            ${FORMATS.map(({ format, name }, index) => html`${index > 0 && " · "}<a href="${importPath(id)}/redirects?format=${format}" download>${name}</a>`)}
          </p>`
    }
  </section>`

const endPart = (value: Import): Html =>
  html`<section class="files" aria-labelledby="ending">
    <h2 class="label" id="ending">This import</h2>
    <p><a href="${importPath(value.id)}/report.csv" download>Download the report (CSV)</a></p>
    ${
      value.state === "done" &&
      html`${act(value.id, "undo", "Undo")}
        <p class="hint">
          Deletes the drafts that this import made, unless you have changed or published them.
        </p>`
    }${act(value.id, "delete", "Delete this import")}
    <p class="hint">Deletes the file and this page. Drafts stay.</p>
  </section>`

const found = ({ kind, site }: Import): Html | false =>
  kind !== null &&
  html`<p class="size">
    ${KINDS[kind]}${site.title !== null && html` · <bdi>${site.title}</bdi>`}${site.url !== null && html` · <bdi dir="ltr">${site.url}</bdi>`}
  </p>`

const content = (view: ImportView): Html => {
  const { key, value } = view
  if (value.state === "awaiting_file") return arrivingPart(value, key)
  if (!isResting(value)) return progressPart(value)
  if (value.state === "failed")
    return html`<p class="lede">${value.error?.message}</p>
      <p class="act"><a class="button" href="${IMPORT}">Choose another file</a></p>
      ${act(value.id, "delete", "Delete this import")}`
  return html`${found(value)}${value.error !== null && html`<p><strong class="bad">${value.error.message}</strong> What stood before this place is below.</p>`}${numbers(value)}${picturesLine(value)}${list(view)}${value.state === "done" && redirectsPart(value)}${endPart(value)}`
}

/** Returns the page of an import: how far it is, what was found, and what its author can do with it. */
export const importPage = (view: ImportView): Page =>
  formPage({
    title: STATES[view.value.state],
    kicker: "Bring your posts",
    scripts: ["importing"],
    isWide: isResting(view.value),
    content: html`${view.told !== null && outcome(view.told)}${view.wrong !== null && outcome(html`<strong class="bad">${view.wrong}</strong>`)}
      <p class="size"><bdi>${view.value.fileName}</bdi></p>
      ${content(view)}`
  })
