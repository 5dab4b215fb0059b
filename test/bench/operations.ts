import { randomUUID } from "node:crypto"
import { authorOf, type Seed } from "./seed.ts"
import * as targets from "./targets.ts"
import type { Target } from "./targets.ts"
import { walletsOf } from "./wallets.ts"
import { randomFrom, wordOf, WORDS } from "./words.ts"

/** Makes the next request of an operation. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PATCH"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The requests of one connection. Each follows from the answer to the one before. */
export type Conversation = (lastAnswer: string) => LoadRequest

export interface Operation {
  readonly name: string
  readonly title: string
  readonly isRead: boolean
  /** The status of its success. */
  readonly status: number
  readonly request: () => LoadRequest
  /**
   * A statement before the last one, and a request that ends with it. The reference servers take the statements of
   * such an operation from the service; the others are written down beside them.
   */
  readonly first?: { readonly statement: string; readonly refused: () => LoadRequest }
  /** Set for an operation of several requests, or of requests that follow from answers. */
  readonly conversation?: {
    /** The requests of one operation. */
    readonly steps: number
    /** The first request of a connection. */
    readonly begin: () => Conversation
  }
  readonly targets?: ReadonlyArray<Target>
  /** True for an operation whose public reads the service may keep. It is measured with and without the store. */
  readonly isKept?: boolean
  /** The reason that the reference servers do not have it. */
  readonly ownAlone?: string
}

/** The 200 most frequent words are in too many Posts: readers do not search for them. */
const RARE = 200
const WALLETS = 200
/** Different requests of a read whose answers are kept. */
const HOT = 100
/** Share of writes in the mixed load. */
const WRITES = 0.05
/** Distance between Posts that are changed one after the other. */
const STRIDE = 7919

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const get = (path: string, key?: string): LoadRequest => ({
  method: "GET",
  path,
  headers: key === undefined ? {} : bearer(key)
})

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): LoadRequest => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

/** A key that does not exist. */
const noKey = `ppk_${"0".repeat(16)}_${"0".repeat(43)}`

type Words = (count: number) => string

const paragraph = (words: Words) =>
  `## ${words(4)}\n\n${words(40)} **${words(2)}** ${words(30)} [${words(3)}](https://example.org/${words(1)}), ${words(12)}.\n\n` +
  `- ${words(8)}\n- ${words(9)} \`${words(1)}\`\n- *${words(6)}*\n\n`

/** The paragraphs of about 2 kB and of about 20 kB of Markdown. */
const SHORT = 3
const LONG = 30

/** The category of all Posts but those that are spread over all categories. */
const CATEGORY = 7
const CATEGORIES = 30

/** Makes a Post under an unused title of its author. */
const draftOf = (words: Words, paragraphs: number, primaryCategoryId = CATEGORY) => ({
  title: `${words(6)} ${randomUUID().slice(0, 8)}`,
  description: words(18),
  freeContentMarkdown: Array.from({ length: paragraphs }, () => paragraph(words)).join(""),
  primaryCategoryId,
  creationMethod: "human_written",
  creationAttested: true
})

/** Asks for a challenge and claims it, with one wallet after the other. */
export const signInOf = (wallets: ReturnType<typeof walletsOf>): Operation => {
  let turn = 0
  const challenge = (account: string) => post("/api/v1/auth/nano/challenge", { account })
  const begin = (): Conversation => {
    let isClaimNext = false
    let wallet = wallets(turn++)
    return (lastAnswer) => {
      if (isClaimNext) {
        isClaimNext = false
        const { challengeId, message } = JSON.parse(lastAnswer)
        const { account } = wallet
        return post("/api/v1/auth/nano/claim", { challengeId, account, signature: wallet.sign(message) })
      }
      isClaimNext = true
      wallet = wallets(turn++)
      return challenge(wallet.account)
    }
  }
  return {
    name: "sign-in",
    title: "Sign in with a wallet: challenge and claim",
    isRead: false,
    status: 201,
    request: () => challenge(wallets(turn++).account),
    conversation: { steps: 2, begin },
    ownAlone: "most of it is the verification of a signature, which any server in JavaScript does alike"
  }
}

/** Each connection renews the session of a family of its own. */
const refreshOf = (families: ReadonlyArray<string>): Operation => {
  let used = 0
  const refresh = (refreshToken: string) => post("/api/v1/auth/refresh", { refreshToken })
  const newFamily = () => {
    const token = families[used++]
    if (token === undefined)
      throw new Error(`${families.length} seeded sessions are too few for so many rounds`)
    return refresh(token)
  }
  const begin = (): Conversation => {
    let hasBegun = false
    return (lastAnswer) => {
      if (hasBegun) return refresh(JSON.parse(lastAnswer).refreshToken)
      hasBegun = true
      return newFamily()
    }
  }
  return {
    name: "refresh",
    title: "Refresh a session",
    isRead: false,
    status: 200,
    request: newFamily,
    first: { statement: "refreshToken", refused: () => refresh("none") },
    conversation: { steps: 1, begin }
  }
}

const createOf = (words: Words, key: string, paragraphs = SHORT, category = CATEGORY) =>
  post("/api/v1/posts", draftOf(words, paragraphs, category), {
    ...bearer(key),
    "idempotency-key": randomUUID()
  })

const NO_REFERENCE = "the reference servers do not have it"

/** Each connection creates a draft of its own, and changes it from then on. */
const patchOf = (words: Words, anyKey: () => string): Operation => {
  const begin = (): Conversation => {
    const key = anyKey()
    let hasBegun = false
    return (lastAnswer) => {
      if (!hasBegun) {
        hasBegun = true
        return createOf(words, key)
      }
      const { id, updatedAt } = JSON.parse(lastAnswer)
      const body = { title: words(6), freeContentMarkdown: paragraph(words) }
      const headers = { ...bearer(key), "x-post-revision": updatedAt }
      return { ...post(`/api/v1/posts/${id}`, body, headers), method: "PATCH" }
    }
  }
  return {
    name: "patch",
    title: "Change a draft at its revision",
    isRead: false,
    status: 200,
    request: () => createOf(words, anyKey()),
    conversation: { steps: 1, begin },
    ownAlone: NO_REFERENCE
  }
}

/** Each connection creates draft after draft, in the next category of `categories`, and publishes it. */
const publishOf = (words: Words, anyKey: () => string, categories: () => number) => {
  const create = (key: string) => createOf(words, key, SHORT, categories())
  const begin = (): Conversation => {
    let key = anyKey()
    let isPublishNext = false
    return (lastAnswer) => {
      isPublishNext = !isPublishNext
      if (isPublishNext) {
        key = anyKey()
        return create(key)
      }
      const headers = { ...bearer(key), "idempotency-key": randomUUID() }
      return post(`/api/v1/posts/${JSON.parse(lastAnswer).id}/publish`, {}, headers)
    }
  }
  return {
    isRead: false,
    status: 200,
    request: () => create(anyKey()),
    conversation: { steps: 2, begin },
    ownAlone: NO_REFERENCE
  }
}

/** Returns indexes below `count`; the first is drawn about 10 times as often as the tenth, and so on. */
const zipfFrom = (random: () => number, count: number) => {
  const weights = Array.from({ length: count }, (_, index) => 1 / (index + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const cumulated: Array<number> = []
  weights.reduce((sum, weight) => {
    cumulated.push(sum + weight / total)
    return sum + weight / total
  }, 0)
  return () => {
    const wanted = random()
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((cumulated[middle] ?? 1) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Counts 1, 2, … 30 and begins anew. */
const inTurn = () => {
  let turn = 0
  return () => 1 + (turn++ % CATEGORIES)
}

/** The operations that are compared; their parameters are the same in every run. */
export const operationsOf = ({ families, keys, posts }: Seed): ReadonlyArray<Operation> => {
  const random = randomFrom(42)
  const pick = (all: ReadonlyArray<string>) => all[Math.floor(random() * all.length)] ?? ""
  const rare = () => wordOf(RARE + Math.floor(random() * (WORDS - RARE)))
  const words = (count: number) => Array.from({ length: count }, rare).join(" ")
  const anyKey = () => pick(keys)
  const read = { isRead: true, status: 200, isKept: true } as const
  const queries = Array.from({ length: HOT }, () => words(random() < 0.5 ? 1 : 2).replace(" ", "+"))
  const hotPosts = posts.slice(-HOT)
  const zipf = zipfFrom(random, posts.length)
  let changes = 0
  let isFirst = true
  return [
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

/** New drafts with sections of 200,000 characters, as long as they may be. */
export const longDraftsOf = ({ keys }: Seed, count: number): ReadonlyArray<LoadRequest> => {
  const random = randomFrom(7)
  const words: Words = (count) =>
    Array.from({ length: count }, () => wordOf(Math.floor(random() * WORDS))).join(" ")
  return Array.from({ length: count }, (_, n) => {
    const draft = draftOf(words, 500)
    const body = { ...draft, freeContentMarkdown: draft.freeContentMarkdown.slice(0, 200_000) }
    return post("/api/v1/posts", body, bearer(keys[n % keys.length] ?? ""))
  })
}
