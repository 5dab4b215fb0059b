import type { LoadRequest } from "./loadRequest.ts"
import type { Operation } from "./operation.ts"

/** Returns a request as browsers and feed readers send it. */
const get = (path: string): LoadRequest => ({
  method: "GET",
  path,
  headers: { accept: "text/html,*/*;q=0.8", "accept-encoding": "br" }
})

const page = {
  isRead: true,
  status: 200,
  isKept: true,
  ownAlone: "they have no pages; compare with `post` of the same run"
} as const

/** Pages and feeds. A kept page is to reach 0.8 of the kept read of a Post, one that is made anew 0.6 of the cold read. */
export const pagesOf = (
  hot: ReadonlyArray<string>,
  pick: (all: ReadonlyArray<string>) => string
): ReadonlyArray<Operation> => [
  { name: "page", title: "Page of one of 100 Posts, in Brotli", ...page, request: () => get(pick(hot)) },
  { name: "home", title: "The home page, in Brotli", ...page, request: () => get("/") },
  { name: "feed", title: "The Atom feed of the site, in Brotli", ...page, request: () => get("/atom.xml") }
]
