import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { PayoutAddresses } from "../../accounts/payout-address/PayoutAddresses.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { DESK } from "../browser/paths.ts"
import { targetAfter } from "../pages/parts/pager.ts"
import { deskPage } from "./deskPage.ts"
import { makeDeskPosts } from "./deskPosts.ts"

const decodePostId = Schema.decodeUnknownOption(PostId)

/** Serves the page from which an author reaches their drafts and posts. */
export const DeskRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const postsOf = yield* makeDeskPosts
    const profiles = yield* Profiles
    const payouts = yield* PayoutAddresses
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const after = Option.getOrUndefined(decodePostId((yield* query).get("after")))
      return yield* browser.asOwner(
        DESK,
        Effect.fnUntraced(function* (owner) {
          const { next, posts } = yield* postsOf(owner.ownerId, after)
          const { handle, name } = yield* profiles.own(owner)
          const { payoutAddress } = yield* payouts.read(owner)
          return page(
            deskPage({
              posts,
              lacksName: isReservedName(name) || isGeneratedHandle(handle),
              lacksPayoutAddress: payoutAddress === null,
              next: next === null ? null : targetAfter(DESK, next),
              first: after === undefined ? null : DESK
            })
          )
        })
      )
    })

    return HttpRouter.add("GET", "/desk", answering(show))
  })
)
