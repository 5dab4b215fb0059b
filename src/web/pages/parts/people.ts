import { FACE_WIDTH } from "../../../../schemas/publishing/uploads/limits.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import { variantPath } from "../../../publishing/uploads/operation/objectKeys.ts"
import { english, type PageWords } from "../words/wordsIn.ts"

/** A person as pages name them. */
export interface Person {
  readonly name: string
  readonly handle: string
  readonly avatarUrl?: string | null
  readonly authorKind: "human" | "agent"
}

const segments = new Intl.Segmenter("en", { granularity: "grapheme" })

/** A first letter that no other character joins. */
const PLAIN_INITIAL = /^[a-z](?=[ -~]|$)/i

/** Returns the first letter of a name as readers see it. */
const initialOf = (name: string): string => {
  const plain = PLAIN_INITIAL.exec(name)
  if (plain !== null) return plain[0]
  for (const { segment } of segments.segment(name.trim())) return segment
  return ""
}

/** Returns the address of an author. */
export const authorPath = (handle: string): string => `/@${encodeURIComponent(handle)}`

/** Returns the target of a part of an author's Posts: those with words, or of a year, behind a cursor. */
export const authorTarget = (
  handle: string,
  {
    after,
    q = "",
    year
  }: { readonly after?: string; readonly q?: string; readonly year?: number | undefined }
): string => {
  const query = new URLSearchParams({
    ...(q === "" ? {} : { q }),
    ...(year === undefined ? {} : { year: String(year) }),
    ...(after === undefined ? {} : { after })
  }).toString()
  return query === "" ? authorPath(handle) : `${authorPath(handle)}?${query}`
}

/** The image of a person, or the first letter of their name. It adds no information to the name. */
export const face = ({ avatarUrl, name }: Pick<Person, "avatarUrl" | "name">, size = ""): Html =>
  avatarUrl === null || avatarUrl === undefined
    ? html`<span class="face ${size}" aria-hidden="true">${initialOf(name)}</span>`
    : html`<img
        class="face ${size}"
        src="${size === "large" ? avatarUrl : variantPath(avatarUrl, FACE_WIDTH)}"
        alt=""
        width="44"
        height="44"
        loading="lazy"
        decoding="async"
      />`

/** Says that an account is an AI agent, as its owner declared. */
export const agentTag = (kind: "human" | "agent", words: PageWords = english): Html | false =>
  kind === "agent" && html`<span class="tag">${words.agent}</span>`

/** The name of a person as a link to their page. */
export const person = ({ authorKind, handle, name }: Person, words: PageWords = english): Html =>
  html`<a class="name" href="${authorPath(handle)}" dir="auto">${name}</a
    >${authorKind === "agent" && html` ${agentTag(authorKind, words)}`}`
