import { randomUUID } from "node:crypto"
import { bearer, type LoadRequest, post } from "./loadRequest.ts"
import type { Conversation, Operation } from "./operation.ts"
import type { Seed } from "./seed.ts"
import { randomFrom, wordOf, WORDS } from "./words.ts"

export type Words = (count: number) => string

const paragraph = (words: Words) =>
  `## ${words(4)}\n\n${words(40)} **${words(2)}** ${words(30)} [${words(3)}](https://example.org/${words(1)}), ${words(12)}.\n\n` +
  `- ${words(8)}\n- ${words(9)} \`${words(1)}\`\n- *${words(6)}*\n\n`

/** The paragraphs of about 2 kB and of about 20 kB of Markdown. */
const SHORT = 3
export const LONG = 30

/** The category of all Posts but those that are spread over all categories. */
export const CATEGORY = 7
export const CATEGORIES = 30

/** Makes a Post under an unused title of its author. */
const draftOf = (words: Words, paragraphs: number, primaryCategoryId = CATEGORY) => ({
  title: `${words(6)} ${randomUUID().slice(0, 8)}`,
  description: words(18),
  freeContentMarkdown: Array.from({ length: paragraphs }, () => paragraph(words)).join(""),
  primaryCategoryId,
  creationMethod: "human_written",
  creationAttested: true
})

export const createOf = (words: Words, key: string, paragraphs = SHORT, category = CATEGORY) =>
  post("/api/v1/posts", draftOf(words, paragraphs, category), {
    ...bearer(key),
    "idempotency-key": randomUUID()
  })

const NO_REFERENCE = "the reference servers do not have it"

/** Each connection creates a draft of its own, and changes it from then on. */
export const patchOf = (words: Words, anyKey: () => string): Operation => {
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
export const publishOf = (words: Words, anyKey: () => string, categories: () => number) => {
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
