import { Effect } from "effect"
import { uploaderOf } from "../../support/actors/uploader.ts"
import type { DeskAuthor, DeskForm } from "../desk/DeskForm.ts"
import { valueOf } from "../signIn.ts"
import { discussed, named, reported } from "./actors.ts"

/** Makes the author a moderator, who finds a report of a comment. */
const reportedTo = Effect.fnUntraced(function* (author: DeskAuthor) {
  const { comment } = yield* discussed(author.number + 3_000)
  const report = yield* reported(author.number + 3_002, { comment })
  yield* named(author)
  return `/moderate/reports/${report}`
})

/** Makes the author a moderator, who finds a held picture of another account. */
const uploadFor = Effect.fnUntraced(function* (author: DeskAuthor) {
  const owner = yield* uploaderOf(author.number + 3_000)
  const sent = yield* owner.avatar()
  yield* named(author)
  return { upload: sent.body.safety.operationId as string }
})

const REASON = "A reason that takes a while to write"

/** The forms of the room of moderators. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "hide a comment that was reported",
    typed: REASON,
    isHidden: true,
    isOfOwn: true,
    request: (author) =>
      Effect.map(reportedTo(author), (path) => ({ path, fields: { do: "hide", reason: REASON } }))
  },
  {
    name: "claim a report",
    isHidden: true,
    isOfOwn: true,
    request: (author) => Effect.map(reportedTo(author), (path) => ({ path: `${path}/claim`, fields: {} }))
  },
  {
    name: "restrict an account",
    typed: REASON,
    isHidden: true,
    isOfOwn: true,
    request: (author) =>
      Effect.gen(function* () {
        const { handle } = yield* uploaderOf(author.number + 3_000)
        yield* named(author)
        const { text } = yield* author.reader.get(`/moderate/accounts?handle=${handle}`)
        const account = valueOf(text, "account")
        return { path: "/moderate/accounts", fields: { account, do: "restrict", reason: REASON } }
      })
  },
  {
    name: "hold an upload",
    typed: REASON,
    isHidden: true,
    isOfOwn: true,
    request: (author) =>
      Effect.map(uploadFor(author), (fields) => ({
        path: "/moderate/uploads",
        fields: { ...fields, seen: "2026-01-01T00:00:00.000000Z", do: "hold", reason: REASON }
      }))
  }
]
