import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type {
  BrowserAuthority,
  PublisherAuthority
} from "../../../../schemas/platform/security/authorities.ts"
import { Profiles } from "../../../accounts/profile/Profiles.ts"
import { Preferences } from "../../../engagement/notifications/preferences/Preferences.ts"
import { makePrivatePages } from "../../../platform/http/privatePages.ts"
import { ownPostStatements } from "../../../publishing/posts/ownPosts.sql.ts"
import { Uploads } from "../../../publishing/uploads/Uploads.ts"
import { deskProfilePage, type DeskProfileView, PROFILE } from "./deskProfilePage.ts"
import { stateOfPicture } from "./pictures.ts"
import { fieldsOf } from "./profileFields.ts"

/** Sentences about what a form did. */
const done = new Map([
  ["saved", "Your profile is saved."],
  ["avatar", "Your picture has arrived."],
  ["header", "Your wide picture has arrived."],
  ["removed", "The wide picture is removed."],
  ["shown", "Your choice is saved."],
  ["agent", "Readers now see that this account is an AI agent."]
])

/** Returns the path of the page that says what a form did. */
export const donePath = (what: string): string => `${PROFILE}?done=${what}`

/** Returns the sentence that a query asks for. */
export const toldOf = (query: URLSearchParams): string | null => done.get(query.get("done") ?? "") ?? null

/** Makes the function that shows an author the profile, and what a form has to say. */
export const makeDeskProfilePages = Effect.gen(function* () {
  const profiles = yield* Profiles
  const preferences = yield* Preferences
  const uploads = yield* Uploads
  const { pinnable } = yield* ownPostStatements
  const random = yield* SecureRandom.SecureRandom
  const { page } = yield* makePrivatePages

  /** Without a Publishing key, the page does not say what became of uploads. */
  return Effect.fnUntraced(function* (
    owner: BrowserAuthority,
    publisher: PublisherAuthority | null,
    said: Partial<DeskProfileView> = {},
    status?: number
  ) {
    const [profile, posts, preferred, receipts] = yield* Effect.all(
      [
        profiles.own(owner),
        pinnable(owner.ownerId),
        preferences.read(owner),
        // The list of one's own Profile is always there.
        publisher === null ? Effect.succeed([]) : Effect.orDie(uploads.list(publisher, {}))
      ],
      { concurrency: "unbounded" }
    )
    const view: DeskProfileView = {
      profile,
      fields: fieldsOf(profile),
      refused: [],
      pinnable: posts,
      pictureStates: {
        avatar: stateOfPicture(receipts, "avatar"),
        header: stateOfPicture(receipts, "header")
      },
      refusedPicture: null,
      keys: { avatar: yield* random.uuidV4(), header: yield* random.uuidV4() },
      isShownSupporter: preferred.show_on_supporter_leaderboard,
      isRanked: preferred.show_on_creator_leaderboards,
      isAgentUnconfirmed: false,
      told: null,
      isModerator: owner.isModerator,
      ...said
    }
    return page(deskProfilePage(view), status)
  })
})
