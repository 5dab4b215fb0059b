import { Effect, Layer, Schema } from "effect"
import { PurchasesQuery } from "../../../schemas/payments/purchases/Purchase.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { PURCHASES } from "../browser/paths.ts"
import { makeLibrary } from "./library.ts"
import { libraryPage, libraryTarget } from "./libraryPage.ts"

/** Purchases of a page. */
const PAGE = 50

const decodeQuery = Schema.decodeUnknownEffect(Schema.Struct(PurchasesQuery.fields))

/** Serves the page with everything that an account bought. */
export const LibraryRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const library = yield* makeLibrary
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const after = asked.get("after")
      const q = (asked.get("q") ?? "").trim()
      const list = Effect.fnUntraced(
        function* ({ isModerator, ownerId }: BrowserAuthority) {
          const { nextCursor, ...shown } = yield* library(
            ownerId,
            yield* decodeQuery({
              limit: String(PAGE),
              ...(after === null ? {} : { cursor: after }),
              ...(q === "" ? {} : { q })
            })
          )
          return page(
            libraryPage({
              ...shown,
              q,
              isModerator,
              next: nextCursor === null ? null : libraryTarget(q, nextCursor),
              first: after === null ? null : libraryTarget(q, null)
            })
          )
        },
        // A cursor of no list leads nowhere, and words that are too long are in no title.
        Effect.mapError(() => new NotFound())
      )
      return yield* browser.asOwner(PURCHASES, list, { isOpenToRestricted: true })
    })

    return addPrivatePage("GET", PURCHASES, answering(show))
  })
)
