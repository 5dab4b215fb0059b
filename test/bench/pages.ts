import { get as getJson, type LoadRequest } from "./loadRequest.ts"
import type { Operation } from "./operation.ts"
import type { Seed } from "./seed.ts"
import * as targets from "./targets.ts"

/** Returns a request as browsers and feed readers send it. */
export const getPage = (path: string): LoadRequest => ({
  method: "GET",
  path,
  headers: { accept: "text/html,*/*;q=0.8", "accept-encoding": "br" }
})

const read = { isRead: true, status: 200 } as const

const page = {
  ...read,
  isKept: true,
  targets: targets.page,
  ownAlone: "they have no pages"
} as const

/** Pages and feeds, each beside the JSON read of what it shows. `hot` are the indexes of the Posts that are read. */
export const pagesOf = (
  { pages, posts }: Seed,
  hot: ReadonlyArray<number>,
  pick: (all: ReadonlyArray<number>) => number
): ReadonlyArray<Operation> => {
  const post = { ...read, name: "post", request: () => getJson(`/api/posts/${posts[pick(hot)]}`) }
  const newest = { ...read, name: "newest", request: () => getJson("/api/posts") }
  return [
    {
      ...page,
      name: "page",
      title: `Page of one of ${hot.length} Posts, in Brotli`,
      beside: post,
      request: () => getPage(pages[pick(hot)] ?? "")
    },
    { ...page, name: "home", title: "The home page, in Brotli", beside: newest, request: () => getPage("/") },
    {
      ...page,
      name: "feed",
      targets: targets.feed,
      title: "The Atom feed of the site, in Brotli",
      beside: newest,
      request: () => getPage("/atom.xml")
    }
  ]
}
