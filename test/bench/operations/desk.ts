import { busyPost } from "../../support/busyAuthor.ts"
import {
  bearer,
  type Conversation,
  conversing,
  get,
  type LoadRequest,
  type Operation,
  post
} from "../operation.ts"
import { desk } from "../seed/desk.ts"

const browser = { accept: "text/html,*/*;q=0.8", cookie: desk.cookie }
const MONTH = "from=2026-10-02&to=2026-10-31"
const YEAR = "from=2025-11-01&to=2026-10-31"
/** The same periods in the API, whose end is the day after the last one. */
const monthOfApi = "from=2026-10-02&to=2026-11-01"
const yearOfApi = "from=2025-11-01&to=2026-11-01"

const draft = busyPost(10)
let used = 0

/** Reads of the API in turn, all together one operation. A connection gets an access token first. */
const reading = (reads: ReadonlyArray<(token: string) => LoadRequest>) => (): Conversation => {
  let token: string | undefined
  let turn = 0
  return (lastAnswer) => {
    if (token === undefined && lastAnswer === "") {
      const refreshToken = desk.sessions[used++]
      if (refreshToken === undefined) throw new Error("The seeded sessions are too few for these rounds")
      return post("/api/v1/auth/refresh", { refreshToken })
    }
    token ??= String(JSON.parse(lastAnswer).accessToken)
    return reads[turn++ % reads.length]!(token)
  }
}

const byOwner = (path: string) => (token: string) => get(path, bearer(token))
const byKey = (path: string) => () => get(path, bearer(desk.key))

/** The pages of the desk, each after the reads of the API that show the same. */
export const deskOf = (): ReadonlyArray<Operation> => {
  const summary = (period: string) => byOwner(`/api/v1/finance/summary?${period}`)
  const pages = [
    [
      "/desk",
      [
        byKey("/api/v1/posts?per_page=5"),
        byKey("/api/v1/profile"),
        summary("from=2026-10-01"),
        byOwner("/api/v1/notifications?limit=1")
      ]
    ],
    [`/write/${draft}`, [byKey(`/api/v1/posts/${draft}`), () => get("/api/categories")]],
    [`/desk/sales?${MONTH}`, [summary(monthOfApi), byOwner(`/api/v1/finance/days?${monthOfApi}`)]],
    [`/desk/sales?${YEAR}`, [summary(yearOfApi), byOwner(`/api/v1/finance/days?limit=366&${yearOfApi}`)]],
    ...["", "?sort=reads", "?sort=income"].map(
      (query) => [`/desk/posts${query}`, [byKey("/api/v1/posts?per_page=50")]] as const
    )
  ] as const
  return pages.flatMap(([path, reads]) => [
    conversing("desk", `Reads of ${path}`, [200], reading(reads), reads.length),
    { name: "desk", title: `Page ${path}`, statuses: [200], request: () => get(path, browser) }
  ])
}
