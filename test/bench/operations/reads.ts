import { bearer, get, type Operation } from "../operation.ts"
import type { Seed } from "../seed/seed.ts"
import type { Choices } from "./choices.ts"

/** Posts that are read: the newest. */
const HOT = 100

/** The headers of browsers and feed readers. */
const browser = { accept: "text/html,*/*;q=0.8", "accept-encoding": "br" }

/** Public reads, their pages, and a read with a Publishing key. */
export const readsOf = ({ keys, posts }: Seed, { oneOf, words }: Choices): ReadonlyArray<Operation> => {
  const hot = posts.slice(-HOT)
  const queries = Array.from({ length: HOT }, (_, n) => words(1 + (n % 2)).replace(" ", "+"))
  const kept = (name: string, title: string, request: Operation["request"], isCompared?: true) =>
    ({ name, title, request, isCompared, statuses: [200], isKept: true }) as const
  return [
    kept("newest", "Newest 20 summaries", () => get("/api/posts"), true),
    kept("post", `One of ${HOT} Posts`, () => get(`/api/posts/${oneOf(hot).id}`), true),
    kept("search", `One of ${HOT} searches`, () => get(`/api/posts?q=${oneOf(queries)}`), true),
    kept("page", `Page of one of ${HOT} Posts, in Brotli`, () => get(oneOf(hot).page, browser)),
    kept("any-page", "Page of any Post, in Brotli", () => get(oneOf(posts).page, browser)),
    kept("home", "Home page, in Brotli", () => get("/", browser)),
    kept("feed", "Atom feed of the site, in Brotli", () => get("/atom.xml", browser)),
    {
      name: "key-check",
      title: "Own Profile, with a Publishing key",
      statuses: [200],
      isCompared: true,
      request: () => get("/api/v1/profile", bearer(oneOf(keys)))
    }
  ]
}
