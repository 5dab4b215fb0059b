import { Effect } from "effect"
import { walletOf } from "../../support/actors/owner.ts"
import { valueOf } from "../signIn.ts"
import { draftBy, hiddenAt, postBy, written } from "./author.ts"
import type { DeskForm } from "./DeskForm.ts"

/** The forms by which a person writes, publishes and gives, and those of the account that these need. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "save a new post",
    typed: "PAIDWORD",
    needsKey: true,
    request: ({ reader }) =>
      Effect.map(hiddenAt(reader, "/write"), (form) => ({ path: "/write", fields: { ...form, ...written } }))
  },
  {
    name: "save a post",
    typed: "CHANGED",
    needsKey: true,
    stale: { revision: "2000-01-01T00:00:00.000000Z" },
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = yield* draftBy(author)
      const form = yield* hiddenAt(author.reader, path)
      return { path, fields: { ...form, ...written, paid: "CHANGED" } }
    })
  },
  {
    name: "publish a post",
    needsKey: true,
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = `${yield* draftBy(author)}/publish`
      return { path, fields: yield* hiddenAt(author.reader, path) }
    })
  },
  {
    name: "save what was decided about a post",
    typed: "Typed on a train.",
    needsKey: true,
    stale: { revision: "2000-01-01T00:00:00.000000Z" },
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = `${yield* draftBy(author)}/publish`
      const form = yield* hiddenAt(author.reader, path)
      return { path, fields: { ...form, details: "Typed on a train.", act: "save" } }
    })
  },
  {
    name: "unpublish a post",
    needsKey: true,
    isOfOwn: true,
    request: Effect.fnUntraced(function* (author) {
      const path = yield* postBy(author)
      return { path: `${path}/unpublish`, fields: yield* hiddenAt(author.reader, `${path}/publish`) }
    })
  },
  {
    name: "delete a draft",
    needsKey: true,
    isOfOwn: true,
    isOnce: true,
    request: (author) => Effect.map(draftBy(author), (path) => ({ path: `${path}/delete`, fields: {} }))
  },
  {
    name: "give a post",
    typed: "For Bea",
    isOfOwn: true,
    isOnce: true,
    request: Effect.fnUntraced(function* (author) {
      const path = (yield* postBy(author)).replace("/write/", "/give/")
      const { text } = yield* author.reader.get(path)
      const fields = {
        key: valueOf(text, "key"),
        readers: "1",
        until: /name="until"[^>]*value="([^"]+)"/.exec(text)?.[1] ?? "",
        label: "For Bea"
      }
      return { path, fields }
    })
  },
  {
    name: "choose a name",
    request: ({ number }) =>
      Effect.succeed({
        path: "/profile",
        fields: { name: "Another name", handle: `other_${number}`, back: "/desk" }
      })
  },
  {
    name: "save a payout address",
    stale: { revision: "0" },
    request: Effect.fnUntraced(function* ({ number, reader }) {
      const form = yield* hiddenAt(reader, "/payout?back=/desk")
      return {
        path: "/payout",
        fields: { ...form, address: walletOf(number + 5_000).account, back: "/desk" }
      }
    })
  }
]
