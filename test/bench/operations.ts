import { randomUUID } from "node:crypto"
import { bearer, get, noKey } from "./loadRequest.ts"
import type { Operation } from "./operation.ts"
import { pagesOf } from "./pages.ts"
import { authorOf, type Seed } from "./seed.ts"
import { refreshOf, signInOf } from "./sessions.ts"
import * as targets from "./targets.ts"
import { walletsOf } from "./wallets.ts"
import { randomFrom, wordOf, WORDS } from "./words.ts"
import { CATEGORIES, CATEGORY, createOf, LONG, patchOf, publishOf } from "./writes.ts"
import { zipfFrom } from "./zipf.ts"

/** The 200 most frequent words are in too many Posts: readers do not search for them. */
const RARE = 200
const WALLETS = 200
/** Different requests of a read whose answers are kept. */
const HOT = 100
/** Share of writes in the mixed load. */
const WRITES = 0.05
/** Distance between Posts that are changed one after the other. */
const STRIDE = 7919

/** Counts 1, 2, … 30 and begins anew. */
const inTurn = () => {
  let turn = 0
  return () => 1 + (turn++ % CATEGORIES)
}

/** The operations that are compared; their parameters are the same in every run. */
export const operationsOf = (seed: Seed): ReadonlyArray<Operation> => {
  const { families, keys, posts } = seed
  const random = randomFrom(42)
  const oneOf = <A>(all: ReadonlyArray<A>) => all[Math.floor(random() * all.length)]
  const pick = (all: ReadonlyArray<string>) => oneOf(all) ?? ""
  const rare = () => wordOf(RARE + Math.floor(random() * (WORDS - RARE)))
  const words = (count: number) => Array.from({ length: count }, rare).join(" ")
  const from = (first: number, last: number) => first + Math.floor(random() * (last - first + 1))
  const anyKey = () => pick(keys)
  const read = { isRead: true, status: 200, isKept: true } as const
  const queries = Array.from({ length: HOT }, () => words(random() < 0.5 ? 1 : 2).replace(" ", "+"))
  const hotPosts = posts.slice(-HOT)
  const zipf = zipfFrom(random, posts.length)
  let changes = 0
  let isFirst = true
  return [
    {
      name: "live",
      title: "The smallest answer: that the process runs",
      isRead: true,
      status: 200,
      targets: targets.live,
      request: () => get("/health/live")
    },
    {
      name: "newest",
      title: "Newest 20 summaries",
      ...read,
      targets: targets.hotRead,
      request: () => get("/api/posts")
    },
    {
      name: "post",
      title: `One of ${HOT} Posts`,
      ...read,
      targets: targets.hotRead,
      request: () => get(`/api/posts/${pick(hotPosts)}`)
    },
    {
      name: "search",
      title: `One of ${HOT} searches`,
      ...read,
      targets: targets.keptRead,
      request: () => get(`/api/posts?q=${pick(queries)}`)
    },
    {
      name: "profile",
      title: `One of ${HOT} Profiles`,
      ...read,
      targets: targets.keptRead,
      request: () => get(`/api/profile/author_${1 + Math.floor(random() * HOT)}`)
    },
    ...pagesOf(
      seed,
      hotPosts.map((_, index) => posts.length - HOT + index),
      (all) => oneOf(all) ?? 0
    ),
    {
      name: "full-store",
      title: "Lists that were not read before, until the store is full",
      isRead: true,
      status: 200,
      isKept: true,
      request: () => get(`/api/posts?per_page=${from(30, 50)}&page=${from(1, 200)}`),
      ownAlone: "its memory is what counts"
    },
    {
      name: "mixed",
      title: "Reads of 10,000 Posts in a Zipf distribution, and 5 % changes of their titles",
      ...read,
      targets: targets.mixed,
      request: () => {
        // The first one is compared between the servers, which answer changes differently.
        if (isFirst || random() >= WRITES) {
          isFirst = false
          return get(`/api/posts/${posts[zipf()]}`)
        }
        // In turn: of two changes of one Post at once, the service refuses one.
        const index = (changes++ * STRIDE) % posts.length
        return {
          method: "PATCH",
          path: `/api/v1/posts/${posts[index]}`,
          headers: { "content-type": "application/json", ...bearer(keys[authorOf(index)] ?? "") },
          body: JSON.stringify({ title: `${words(6)} ${randomUUID().slice(0, 8)}` })
        }
      }
    },
    {
      name: "key-check",
      title: "Own Profile with a Publishing key: the check of the key and one statement",
      isRead: true,
      status: 200,
      request: () => get("/api/v1/profile", anyKey()),
      first: { statement: "activeKey", refused: () => get("/api/v1/profile", noKey) }
    },
    {
      name: "create",
      title: "Create a draft with a Publishing key",
      isRead: false,
      status: 201,
      targets: targets.create,
      request: () => createOf(words, anyKey())
    },
    {
      name: "create-long",
      title: "Create a draft of 20 kB of Markdown",
      isRead: false,
      status: 201,
      request: () => createOf(words, anyKey(), LONG)
    },
    patchOf(words, anyKey),
    {
      name: "publish",
      title: "Create a draft and publish it, all in one category",
      ...publishOf(words, anyKey, () => CATEGORY)
    },
    {
      name: "publish-spread",
      title: "Create a draft and publish it, in 30 categories in turn",
      ...publishOf(words, anyKey, inTurn())
    },
    refreshOf(families),
    signInOf(walletsOf(WALLETS))
  ]
}
