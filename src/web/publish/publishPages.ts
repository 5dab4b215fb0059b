import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { FollowLists } from "../../engagement/follows/FollowLists.ts"
import { qrSvgOf } from "../../payments/sessions/qr.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { now } from "../../platform/time/now.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Publishing } from "../../publishing/posts/Publishing.ts"
import { chosenNames } from "../profile/profilePage.ts"
import { fieldsOf, formFieldsOf, type Refused, refusedOf, withSent } from "../write/postForm.ts"
import { makeLanguageOrigin } from "../write/shown.ts"
import { makeFilledDescription } from "./filledDescription.ts"
import { laterView, type LaterView } from "./laterPart.ts"
import { makeMailView } from "./mailView.ts"
import { outPage } from "./outPage.ts"
import { publishPage, type PublishView } from "./publishPage.ts"
import { makeReadersView } from "./readersView.ts"
import { makeRememberedCreation } from "./rememberedCreation.ts"

/** Returns a reason with the control of this page. */
const onPage = ({ control, ...reason }: Refused): Refused => ({
  control: control === "payoutAddress" ? "address" : control,
  ...reason
})

/** The outcome of a form, which the page shows with the post. */
export type Said = Partial<Omit<PublishView, "post" | "later">> & { readonly later?: Partial<LaterView> }

/** Makes the functions that show the page of all decisions on a post, and the one after its publication. */
export const makePublishPages = Effect.gen(function* () {
  const publishing = yield* Publishing
  const discovery = yield* Discovery
  const profiles = yield* Profiles
  const followLists = yield* FollowLists
  const { baseUrl } = yield* Site
  const about = yield* aboutPrices
  const { firstSentence } = yield* makeFilledDescription
  const remembered = yield* makeRememberedCreation
  const originOf = yield* makeLanguageOrigin
  const readersView = yield* makeReadersView
  const mailView = yield* makeMailView
  const random = yield* SecureRandom.SecureRandom
  const { page } = yield* makePrivatePages

  const shown = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    owner: BrowserAuthority,
    post: Post,
    said: Said,
    status?: number
  ) {
    const { data: categories } = yield* discovery.categories
    const key = yield* random.uuidV4()
    const mail = yield* mailView(publisher, post)
    const next = yield* publishing.nextPublication(publisher, post.id)
    const profile = yield* profiles.own(owner)
    const { followers } = yield* followLists.counts(owner.ownerId, null)
    const { language, paidContentMarkdown: paid } = post
    const missing = refusedOf(yield* publishing.missing(publisher, post.id), fieldsOf(post).price).map(onPage)
    const saved = formFieldsOf(post, yield* originOf(publisher, post))
    const described =
      saved.description === "" ? { ...saved, description: yield* firstSentence(post, owner) } : saved
    const filled = post.url === null ? yield* remembered(described, owner) : described
    const fields = said.fields === undefined ? filled : withSent(filled, said.fields)
    const view: PublishView = {
      post,
      url: post.url ?? `${baseUrl}/@${profile.handle}/${post.slug}`,
      ...(yield* readersView(post, profile, filled)),
      categories,
      followers,
      next,
      mail,
      canBeMailed: post.url === null && next !== "again" && mail !== null,
      key,
      revision: post.updatedAt,
      about: yield* about,
      // The page fills in a description, and how the last post was made.
      missing: missing.filter(
        ({ control }) => (control !== "description" && control !== "method") || fields[control] === ""
      ),
      hasRest: paid !== null,
      guessed: post.url === null ? language : null,
      ...chosenNames(profile),
      address: "",
      locked: {},
      elsewhere: null,
      told: null,
      isUnsaved: false,
      isFreeing: false,
      desk: null,
      ...said,
      later: { ...laterView(post.schedule, undefined, yield* now), ...said.later },
      fields,
      refused: (said.refused ?? []).map(onPage)
    }
    return page(publishPage(view), status)
  })

  /** Shows a post that was published a moment ago. */
  const shownOut = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    owner: BrowserAuthority,
    post: Post,
    url: string
  ) {
    const profile = yield* profiles.own(owner)
    return page(
      outPage({
        post,
        url,
        ...(yield* readersView(post, profile, fieldsOf(post))),
        qr: trusted(qrSvgOf(url)),
        notified: yield* followLists.notified(owner.ownerId, post.id),
        mail: yield* mailView(publisher, post)
      })
    )
  })

  return { shown, shownOut }
})
