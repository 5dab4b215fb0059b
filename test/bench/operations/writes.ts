import { randomUUID } from "node:crypto"
import { bearer, type Conversation, conversing, type Operation, post } from "../operation.ts"
import type { Seed } from "../seed/seed.ts"
import type { Choices } from "./choices.ts"

const CATEGORIES = 30
/** Different texts of drafts. */
const TEXTS = 200
/** The paragraphs of about 2 kB of Markdown. */
const PARAGRAPHS = 3

const paragraph = (words: Choices["words"]) =>
  `## ${words(4)}\n\n${words(40)} **${words(2)}** ${words(30)} [${words(3)}](https://example.org/${words(1)}), ${words(12)}.\n\n` +
  `- ${words(8)}\n- ${words(9)} \`${words(1)}\`\n- *${words(6)}*\n\n`

/** Makes requests that create a draft under an unused title of its author. */
export const draftsOf = ({ oneOf, words }: Choices) => {
  const texts = Array.from({ length: TEXTS }, () =>
    Array.from({ length: PARAGRAPHS }, () => paragraph(words)).join("")
  )
  let turn = 0
  return (key: string) => {
    const draft = {
      title: `${words(6)} ${randomUUID().slice(0, 8)}`,
      description: words(18),
      freeContentMarkdown: oneOf(texts),
      primaryCategoryId: 1 + (turn++ % CATEGORIES),
      creationMethod: "human_written",
      creationAttested: true
    }
    return post("/api/v1/posts", draft, { ...bearer(key), "idempotency-key": randomUUID() })
  }
}

/** Drafts, their changes and publications, by Publishing keys. */
export const writesOf = ({ keys }: Seed, choices: Choices): ReadonlyArray<Operation> => {
  const { oneOf, words } = choices
  const create = draftsOf(choices)

  const changing = (): Conversation => {
    const key = oneOf(keys)
    return (lastAnswer) => {
      if (lastAnswer === "") return create(key)
      const { id, updatedAt } = JSON.parse(lastAnswer)
      const body = { title: words(6), freeContentMarkdown: paragraph(words) }
      const headers = { ...bearer(key), "x-post-revision": updatedAt }
      return { ...post(`/api/v1/posts/${id}`, body, headers), method: "PATCH" }
    }
  }

  const publishing = (): Conversation => {
    let key = ""
    let isPublishNext = true
    return (lastAnswer) => {
      isPublishNext = !isPublishNext
      if (!isPublishNext) return create((key = oneOf(keys)))
      const headers = { ...bearer(key), "idempotency-key": randomUUID() }
      return post(`/api/v1/posts/${JSON.parse(lastAnswer).id}/publish`, {}, headers)
    }
  }

  const request = () => create(oneOf(keys))
  return [
    { name: "create", title: "Create a draft of 2 kB", statuses: [201], isCompared: true, request },
    conversing("patch", "Change a draft at its revision", [201, 200], changing),
    conversing("publish", "Create a draft and publish it", [201, 200], publishing, 2)
  ]
}
