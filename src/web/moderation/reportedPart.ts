import { type Html, html } from "../../platform/pages/html.ts"
import { agentTag, authorPath, face, type Person } from "../pages/parts/people.ts"
import { since } from "../pages/parts/since.ts"
import { price, titleText } from "../pages/parts/values.ts"

/** A text of a post as its page shows it. */
interface RenderedPost {
  readonly kind: "post"
  readonly title: string
  readonly description: string
  readonly language: string
  readonly picture: string | null
  readonly free: Html
  /** Null for a post without a part for buyers. */
  readonly paid: Html | null
  /** Null for a post that is not for sale. */
  readonly priceXno: string | null
}

/** The target of a report, with the addresses of its images and the HTML of its texts. */
export type ReportedView = {
  readonly author: Person
  readonly since: string
} & (
  | RenderedPost
  | { readonly kind: "gone" }
  | { readonly kind: "comment"; readonly content: string | null; readonly title: string }
  | {
      readonly kind: "account"
      readonly bio: string | null
      readonly location: string | null
      readonly links: ReadonlyArray<{ readonly label: string; readonly url: string }>
      readonly headerUrl: string | null
    }
)

const KINDS = { post: "Post by", comment: "Comment by", account: "Account", gone: "By" } as const

const by = ({ author, kind, since: at }: ReportedView, state: Html, now: Date): Html =>
  html`<h2 class="by">
    ${KINDS[kind]} ${face(author, "small")}<a class="name" href="${authorPath(author.handle)}" dir="auto"
      >${author.name}</a
    >
    ${agentTag(author.authorKind)}<bdi>@${author.handle}</bdi> ${since(at, now)} ${state}
  </h2>`

/** The part for buyers stands out from the one that everyone reads. */
const paidPart = ({ language, paid, priceXno }: RenderedPost): Html | false =>
  paid !== null &&
  html`<section class="state" aria-label="The part for buyers">
    <p lang="en" dir="ltr">
      ${priceXno === null ? "Everyone reads what follows." : html`Paid from here: ${price(priceXno)}`}
    </p>
    <div class="prose" lang="${language}" dir="auto">${paid}</div>
  </section>`

const post = (view: RenderedPost): Html => {
  const { description, free, language, picture, title } = view
  return html`<h2 lang="${language}" dir="auto">${titleText(title)}</h2>
    ${description !== "" && html`<p class="lede" lang="${language}" dir="auto">${description}</p>`}${
      picture !== null &&
      html`<img src="${picture}" alt="The picture on the card" width="300" loading="lazy" />`
    }
    <div class="prose" lang="${language}" dir="auto">${free}</div>
    ${paidPart(view)}`
}

const contentOf = (view: ReportedView): Html => {
  switch (view.kind) {
    case "gone":
      return html`<p class="said gone">It was deleted.</p>`
    case "post":
      return post(view)
    case "comment":
      return html`<p class="hint">On <bdi>${titleText(view.title)}</bdi></p>
        ${
          view.content === null
            ? html`<p class="said gone">This comment was deleted.</p>`
            : html`<p class="said" dir="auto">${view.content}</p>`
        }`
    case "account":
      return html`${view.headerUrl !== null && html`<img class="cover" src="${view.headerUrl}" alt="" width="1312" height="432" />`}${face(view.author, "large")}
        <h2 dir="auto">${view.author.name}</h2>
        ${view.location !== null && html`<p class="hint" dir="auto">${view.location}</p>`}${
          view.bio !== null && html`<p class="said" dir="auto">${view.bio}</p>`
        }
        ${
          view.links.length > 0 &&
          html`<ul class="chips">
            ${view.links.map(({ label, url }) => html`<li><a rel="nofollow noopener noreferrer" href="${url}">${label}: ${url}</a></li>`)}
          </ul>`
        }`
  }
}

/** Returns the target of a report as readers see it, in a frame of its own that scrolls, below its author and its state. */
export const reportedPart = (view: ReportedView, state: Html, now: Date): Html =>
  html`${by(view, state, now)}
    <article class="reported message wide" tabindex="0" aria-label="As readers see it">
      ${contentOf(view)}
    </article>`
