import { Effect, Layer, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { SessionId } from "../../../schemas/platform/Ids.ts"
import { BrowserSessions } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { donePath } from "./accountPages.ts"

const decodeSessionId = Schema.decodeUnknownEffect(SessionId)

/** Serves the forms that sign browsers out. */
export const AccountBrowserRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const browsers = yield* BrowserSessions
    const { asOwner, cookie } = yield* makeBrowser
    const { answering, readForm, seeOther } = yield* makePrivatePages

    const end = Effect.gen(function* () {
      const form = yield* readForm({ session: LENGTHS.word })
      return yield* asOwner(
        ACCOUNT,
        Effect.fnUntraced(function* (owner) {
          const id = yield* Effect.mapError(decodeSessionId(form.get("session")), () => new NotFound())
          yield* browsers.end(owner, id)
          return id === owner.sessionId ? cookie.clear(seeOther("/")) : seeOther(donePath("ended"))
        })
      )
    })

    const endOthers = Effect.gen(function* () {
      yield* readForm({})
      return yield* asOwner(ACCOUNT, (owner) =>
        Effect.as(browsers.endOthers(owner), seeOther(donePath("others")))
      )
    })

    return Layer.merge(
      addPrivatePage("POST", "/desk/account/browsers", answering(end)),
      addPrivatePage("POST", "/desk/account/browsers/others", answering(endOthers))
    )
  })
)
