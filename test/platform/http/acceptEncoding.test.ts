import { assert, describe, it } from "@effect/vitest"
import { codingFor } from "../../../src/platform/http/accept.ts"

const cases: ReadonlyArray<readonly [string | undefined, string | undefined]> = [
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["GZIP", "gzip"],
  ["br", "br"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip;q=1.0, br;q=0.5", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br; q=0, gzip ;q=0", undefined],
  ["*", "br"],
  ["br;q=0, *", "gzip"],
  ["*;q=0", undefined],
  ["gzip;q=x", undefined],
  [";;;,,,=", undefined],
  [`${"a,".repeat(2_000)}br`, undefined]
]

describe("Accept-Encoding", () => {
  for (const [header, coding] of cases) {
    it(`The header ${header ?? "absent"} asks for ${coding ?? "the bytes as they are"}`, () => {
      assert.strictEqual(codingFor(header), coding)
      assert.strictEqual(codingFor(header), coding)
    })
  }

  it("The header is understood after any number of different ones", () => {
    for (let n = 0; n < 1_000; n++) assert.strictEqual(codingFor(`gzip;q=0.5, x${n}`), "gzip")
  })
})
