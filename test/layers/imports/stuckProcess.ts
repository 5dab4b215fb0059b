import { serveJobs } from "../../../layers/process-pool/processJobs.ts"

/** Items of the file. */
const ITEMS = 10

/** The ordinals of items that take for ever. */
const STUCK: ReadonlySet<number> = new Set([3, 4])

const itemOf = (ordinal: number, isSlow: boolean) => ({
  ordinal,
  sourceId: `${ordinal}`,
  sourcePath: null,
  sourceUrl: null,
  kind: "markdown",
  author: null,
  title: "",
  slug: null,
  status: "draft",
  datedAt: null,
  access: "free",
  stop: isSlow ? { outcome: "refused", code: "too_complex" } : null,
  draft: {
    title: "",
    description: "",
    slug: null,
    canonicalUrl: null,
    language: null,
    categoryIds: [null, null],
    ogTitle: null,
    ogDescription: null,
    commentsEnabled: null,
    accessKind: "free",
    freeContent: "",
    paidContent: "",
    priceXno: null,
    creationMethod: null,
    creationDetails: null,
    creationAttested: false
  },
  images: [],
  links: [],
  attachments: [],
  native: null,
  aliases: [],
  oldPaths: [],
  report: [],
  unreported: 0,
  sha256: ""
})

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64")

interface Question {
  readonly ask: string
  readonly from: number
  readonly slow: ReadonlyArray<number>
  readonly isSingle: boolean
}

// Reads ten items. Two of them take for ever, and the others leave by twos or one by one.
serveJobs<Question>(async ({ ask, from, isSingle, slow }) => {
  if (ask === "open") return { opened: true }
  if (ask === "read")
    return {
      reading: { kind: "markdown", site: base64({ title: null, url: null, language: null }), total: ITEMS }
    }
  const wanted = [from, ...(isSingle ? [] : [from + 1])].filter((ordinal) => ordinal < ITEMS)
  if (wanted.some((ordinal) => STUCK.has(ordinal) && !slow.includes(ordinal))) return new Promise(() => {})
  const items = wanted.map((ordinal) => itemOf(ordinal, slow.includes(ordinal)))
  return { items: base64(items), isEnd: items.length === 0 }
})
