import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest } from "effect/http"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { makePictures } from "../pictures/pictures.ts"
import { emptyFields, type LanguageOrigin } from "./postForm.ts"
import { type WriteView, writePage } from "./writePage.ts"

/** True for the script of the page, which asks for JSON. */
export const asksForJson = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => headers["accept"] === "application/json"
)

/** The languages that the browser asks for. */
export const acceptLanguage = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => headers["accept-language"]
)

/** Makes the function that says where the language of a post may come from. */
export const makeLanguageOrigin = Effect.map(Posts, (posts) =>
  Effect.fnUntraced(function* (publisher: PublisherAuthority, post: Post) {
    return {
      isChosen: yield* posts.isLanguageChosen(publisher, post),
      acceptLanguage: yield* acceptLanguage
    } satisfies LanguageOrigin
  })
)

/** Returns the answer to the script of the page: the reason for which a text was not saved, as a code and as a sentence. */
const unsavedOf = ({ elsewhere, outcome, refused, told }: WriteView) => ({
  outcome,
  said:
    elsewhere === null
      ? [told?.said, ...refused.map(({ sentence }) => sentence)].filter((it) => it !== undefined).join(" ")
      : "Changed elsewhere. Save to see both versions.",
  link: told?.link ?? null
})

/** Makes the functions that show the form of a post. */
export const makeShown = Effect.gen(function* () {
  const discovery = yield* Discovery
  const pictures = yield* makePictures
  const random = yield* SecureRandom.SecureRandom
  const about = yield* aboutPrices
  const { json, page } = yield* makePrivatePages

  /** Shows the form. The script of the page gets the reason alone for which a text was not saved. */
  const shown = Effect.fnUntraced(function* (
    owner: BrowserAuthority | null,
    view: Partial<Omit<WriteView, "owner">>,
    status?: number
  ) {
    const all: WriteView = {
      id: null,
      isPublished: false,
      isScheduled: false,
      key: yield* random.uuidV4(),
      revision: "",
      fields: emptyFields,
      categories: [],
      refused: [],
      told: null,
      elsewhere: null,
      isFreeing: false,
      outcome: "saved",
      author: owner?.ownerId ?? "",
      owner: owner?.ownerId ?? "",
      locked: {},
      guessed: null,
      about: yield* about,
      pictures: [],
      picture: { alt: "", place: "" },
      ...view
    }
    if (yield* asksForJson) return json(unsavedOf(all), status)
    const { data: categories } = yield* discovery.categories
    return page(writePage({ ...all, categories }), status)
  })

  /** As `shown`, with the pictures of the post. */
  const shownTo = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    owner: BrowserAuthority,
    view: Partial<WriteView> & Pick<WriteView, "fields" | "id">,
    status?: number
  ) {
    const { fields, id } = view
    const all = id === null || (yield* asksForJson) ? [] : yield* pictures.of(publisher, id, fields)
    return yield* shown(owner, { ...view, pictures: all }, status)
  })

  return { shown, shownTo }
})
