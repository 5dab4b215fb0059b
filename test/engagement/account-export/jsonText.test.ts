import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { type JsonPart, jsonText } from "../../../src/engagement/account-export/jsonText.ts"
import { cursorPagesOf, pagesOf } from "../../../src/engagement/account-export/pages.ts"
import { ownerId } from "../../support/actors/storedOwner.ts"

const read = (part: JsonPart) =>
  Effect.map(Stream.mkString(jsonText(part)), (text): unknown => JSON.parse(text))

describe("a document that is written piece by piece", () => {
  it("Pages of any length are one list", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.jsonValue())), fc.jsonValue(), (pages, value) => {
        const part: JsonPart = {
          members: { list: { pages: Stream.fromIterable(pages) }, value: { value }, none: { members: {} } }
        }
        const expected = JSON.parse(JSON.stringify({ list: pages.flat(), value, none: {} }))
        assert.deepStrictEqual(Effect.runSync(read(part)), expected)
        assert.deepStrictEqual(Effect.runSync(read(part)), expected)
      })
    )
  })

  it.effect("A list is read to its end, each page after the last row of the one before", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 1_000 }, (_, n) => n)
      const rows = (_: unknown, after: number | undefined, limit: number) =>
        Effect.succeed(all.filter((n) => n > (after ?? -1)).slice(0, limit))
      const pages = yield* Stream.runCollect(pagesOf(rows, ownerId(1)))
      assert.deepStrictEqual(pages.flat(), all)

      const withCursors = ({ cursor, limit }: { readonly cursor: string; readonly limit: number }) => {
        const from = Number(cursor)
        const next = from + limit < 250 ? String(from + limit) : null
        return Effect.succeed({
          data: all.slice(from, Math.min(from + limit, 250)),
          pagination: { nextCursor: next }
        })
      }
      const items = yield* Stream.runCollect(cursorPagesOf(withCursors))
      assert.deepStrictEqual(items.flat(), all.slice(0, 250))
    })
  )
})
