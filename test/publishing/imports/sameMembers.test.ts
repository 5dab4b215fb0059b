import { assert, describe, it } from "@effect/vitest"
import { withoutOwnPictures } from "../../../src/publishing/imports/steps/sameMembers.ts"

const path = "/media/0198c0de-0000-7000-8000-000000000000.png"

describe("texts of our own export", () => {
  it("Pictures of the service go with their addresses, on any host", () => {
    assert.strictEqual(
      withoutOwnPictures(
        `a ![p](https://press.test${path}) b <http://x.test${path}> c ${path} https://y.test/z`
      ),
      "a ![p]() b <> c  https://y.test/z"
    )
  })

  it("A million beginnings of addresses are no work", () => {
    const many = "http://".repeat(1_000_000)
    assert.strictEqual(withoutOwnPictures(many), many)
    const pictures = `${"http://".repeat(50)}${path} `.repeat(2000)
    assert.isBelow(withoutOwnPictures(pictures).length, pictures.length)
  })
})
