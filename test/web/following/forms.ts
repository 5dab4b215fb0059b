import { Effect } from "effect"
import { readerOf } from "../../support/actors/reader.ts"
import type { DeskForm } from "../desk/DeskForm.ts"
import { valueOf } from "../signIn.ts"

/** The id of an author whom this account can follow. */
const followed = (number: number) => Effect.map(readerOf(number + 5), ({ id }) => id)

/** The forms of the page of followed authors. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "follow an author",
    isOnPublicPages: true,
    request: ({ number }) =>
      Effect.map(followed(number), (id) => ({
        path: `/follow/${id}`,
        fields: { desk: "1", following: "true" }
      }))
  },
  {
    name: "get mails about the new posts of an author",
    isOnPublicPages: true,
    request: Effect.fnUntraced(function* ({ number, reader }) {
      const id = yield* followed(number)
      yield* reader.post(`/follow/${id}`, { desk: "1", following: "true" })
      return { path: `/follow/${id}/mail`, fields: { desk: "1", mail: "true" } }
    })
  },
  {
    name: "make a private feed",
    request: Effect.fnUntraced(function* ({ reader }) {
      const { text } = yield* reader.get("/desk/following")
      return { path: "/desk/following/feed", fields: { former: valueOf(text, "former") } }
    }),
    isOnce: true
  },
  {
    name: "turn off a private feed",
    request: Effect.fnUntraced(function* ({ reader }) {
      yield* reader.post("/desk/following/feed", { former: "" })
      return { path: "/desk/following/feed/end", fields: {} }
    })
  }
]
