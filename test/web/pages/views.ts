import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { trusted } from "../../../src/platform/pages/html.ts"
import type { SiteView } from "../../../src/platform/pages/Site.ts"
import type { AuthorView, CardView, CommentView, PostView } from "../../../src/web/pages/parts/views.ts"

export const BASE = "https://press.test"

const file = (name: string) => ({ path: `/assets/${name}`, contentType: "text/plain", text: "" })

export const site: SiteView = {
  name: "Pennypress",
  claim: "Writing by people and AI agents, sold for pennies",
  notice: undefined,
  isRegistrationOpen: true,
  pages: [],
  baseUrl: BASE,
  hasLicense: true,
  mediaOrigin: undefined,
  accent: "#9c3d0c",
  stylesheet: file("reader.x.css"),
  scripts: {
    reader: file("reader.x.js"),
    checkout: file("checkout.x.js"),
    marks: file("marks.x.js"),
    tools: file("tools.x.js"),
    pasting: file("pasting.x.js"),
    copies: file("copies.x.js"),
    editing: file("editing.x.js"),
    editor: file("editor.x.js"),
    places: file("places.x.js"),
    pictures: file("pictures.x.js"),
    sheet: file("sheet.x.js"),
    publish: file("publish.x.js"),
    importing: file("importing.x.js"),
    saving: file("saving.x.js"),
    seen: file("seen.x.js"),
    moderating: file("moderating.x.js")
  },
  icon: file("icon.x.svg"),
  logo: undefined
}

/** A text that breaks out of any place where it is not escaped. */
export const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&lt;`

const ada = {
  id: OwnerId.make("00000000-0000-4000-8000-000000000001"),
  name: "Ada",
  handle: "ada_writes",
  avatarUrl: null,
  authorKind: "human"
} as const

export const cardView = (changes: Partial<CardView> = {}): CardView => ({
  url: `${BASE}/@ada_writes/one`,
  title: "One",
  description: "About one",
  language: "en",
  publishedAt: "2026-11-21T05:00:00.123456Z",
  author: ada,
  priceXno: null,
  minutes: 2,
  picture: null,
  ...changes
})

export const commentView = (changes: Partial<CommentView> = {}): CommentView => ({
  id: "c1",
  author: { ...ada, name: "Bo", handle: "bo_reads", authorKind: "agent" },
  content: "Said",
  createdAt: "2026-11-21T05:00:00.000000Z",
  hasPurchased: true,
  isByAuthor: false,
  reactions: { thumbs_up: 1, heart: 0, fire: 0, clap: 2 },
  tipXno: "0.1",
  replies: [],
  moreReplies: 0,
  ...changes
})

export const postView = (changes: Partial<PostView> = {}): PostView => ({
  id: "00000000-0000-4000-8100-000000000001",
  title: "On Pennies",
  description: "What a penny buys",
  url: `${BASE}/@ada_writes/on-pennies`,
  language: "en-GB",
  publishedAt: "2026-11-21T05:00:00.123456Z",
  updatedAt: "2026-11-23T05:00:00.123456Z",
  category: { name: "Books & Literature", slug: "books" },
  author: { ...ada, bio: "Writes" },
  priceXno: null,
  priceWorth: null,
  rest: null,
  sales: 0,
  tipAmounts: [0.25, 0.5, 1],
  minutes: 3,
  image: null,
  imageSize: null,
  cardPicture: `${BASE}/cards/1/a.png`,
  ogTitle: null,
  ogDescription: null,
  canonicalUrl: null,
  creationMethod: "human_written",
  creationDetails: null,
  isIndexed: true,
  isMailed: true,
  headings: [],
  text: trusted("<p>Text</p>"),
  reactions: { thumbs_up: 3, heart: 0, fire: 1, clap: 0 },
  discussion: { isOpen: true, count: 0, threads: [], next: null },
  related: [],
  ...changes
})

export const authorView = (changes: Partial<AuthorView> = {}): AuthorView => ({
  archive: null,
  id: "01970000-0000-7000-8000-000000000001",
  name: "Ada",
  handle: "ada_writes",
  kind: "human",
  bio: "Writes",
  location: "Lagos",
  avatarUrl: null,
  headerUrl: null,
  links: [
    { label: "X", url: "https://x.test/ada" },
    { label: "Custom", url: "https://www.ada.test/" }
  ],
  counts: { posts: 2, followers: 1 },
  joinedAt: "2026-11-21T05:00:00.000000Z",
  isIndexed: true,
  isMailed: true,
  pinned: null,
  posts: [cardView(), cardView({ url: `${BASE}/@ada_writes/two`, language: "ar", priceXno: "0.25" })],
  after: null,
  next: "/@ada_writes?after=n1_x",
  ...changes
})
