import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { downloadHeaders } from "../../../src/payments/access/download.ts"
import { soak } from "../../support/soak.ts"

const dispositionOf = (fileName: string) =>
  downloadHeaders(
    {
      postId: PostId.make("01970000-0000-7000-8000-000000000001"),
      id: UploadOperationId.make("01970000-0000-7000-8000-000000000002"),
      fileName,
      byteSize: 1,
      sha256: "00".repeat(32)
    },
    undefined
  )["content-disposition"]

/** Both names of a disposition, as a client reads them. */
const namesIn = (disposition: string) => {
  const [, ascii = "", extended = ""] =
    /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/.exec(disposition) ??
    []
  return [ascii, decodeURIComponent(extended)]
}

describe("the name of a download (RFC 6266, RFC 8187)", () => {
  it("A name is sent whole, and in ASCII for older clients", () => {
    for (const [name, ascii] of [
      ["book.zip", "book.zip"],
      ["my book (2).zip", "my book (2).zip"],
      ["Книга.zip", "_____.zip"],
      ["本.zip", "_.zip"],
      ["كتاب.zip", "____.zip"],
      ["👩‍👩‍👧.zip", "_____.zip"],
      ['a"b.zip', "a_b.zip"],
      ["100%41.zip", "100_41.zip"],
      ["it's; filename=x.zip", "it's; filename=x.zip"]
    ] as const)
      assert.deepStrictEqual(namesIn(dispositionOf(name)), [ascii, name])
  })

  it("Every name makes one header of visible ASCII", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (name) => {
        const disposition = dispositionOf(`${name}.zip`)
        assert.match(disposition, /^[ -~]+$/)
        assert.strictEqual(namesIn(disposition)[1], `${name}.zip`)
      }),
      { numRuns: soak(200, 20_000) }
    ))
})
