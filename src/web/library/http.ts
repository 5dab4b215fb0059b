import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Cursor } from "../../../schemas/platform/Cursor.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { targetAfter } from "../pages/parts/pager.ts"
import { libraryPage, libraryPath } from "./libraryPage.ts"

/** Purchases of a page. */
const PURCHASES = 50

const decodeCursor = Schema.decodeUnknownEffect(Cursor)

/** Serves the page with everything that an account bought. */
export const LibraryRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const purchases = yield* Purchases
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const after = (yield* query).get("after")
      return yield* browser.asOwner(libraryPath, ({ ownerId }) =>
        Effect.gen(function* () {
          const cursor = after === null ? {} : { cursor: yield* decodeCursor(after) }
          const { data, pagination } = yield* purchases.list(ownerId, { limit: PURCHASES, ...cursor })
          const { nextCursor } = pagination
          return page(
            libraryPage({
              purchases: data,
              next: nextCursor === null ? null : targetAfter(libraryPath, nextCursor),
              first: after === null ? null : libraryPath
            })
          )
          // A cursor of no list leads nowhere.
        }).pipe(Effect.mapError(() => new NotFound()))
      )
    })

    return HttpRouter.add("GET", "/desk/purchases", answering(show))
  })
)
