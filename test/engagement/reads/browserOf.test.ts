import { assert, describe, it } from "@effect/vitest"
import { browserOf } from "../../../src/engagement/reads/browserOf.ts"
import { heldBy, longHeader, numbers } from "./heldBy.ts"

const TOKEN = `ppb_${"aB3".repeat(14)}z`

describe("the token of a browser among its cookies", () => {
  it("A token is found under both names, at any place", () => {
    for (const cookies of [
      `pp=${TOKEN}`,
      `__Host-pp=${TOKEN}`,
      `a=1; pp=${TOKEN}`,
      `a=1;  __Host-pp=${TOKEN}; b=2`
    ])
      assert.strictEqual(browserOf(cookies), TOKEN, cookies)
  })

  it("A text of another form is no token", () => {
    for (const cookies of [
      undefined,
      "",
      "pp=",
      "pp=ppb_x",
      `pp=${TOKEN}x`,
      `pp=${TOKEN.slice(0, -1)}`,
      `pp=${TOKEN.slice(0, -1)}-`,
      `pp=${TOKEN} x`,
      `pp=${"x".repeat(47)}`,
      `pp=${TOKEN}${"x".repeat(15_000)}`,
      `app=${TOKEN}`,
      `__Secure-pp=${TOKEN}`
    ])
      assert.isUndefined(browserOf(cookies), cookies)
  })

  it("A kept token is a copy, which holds no other cookie in memory", () => {
    const tokenOf = (n: number) => `ppb_${String(n).padStart(43, "0")}`
    const { held, result } = heldBy(() => numbers.map((n) => browserOf(longHeader(`pp=${tokenOf(n)}; a=`))))
    assert.strictEqual(result[7], tokenOf(7))
    assert.isBelow(held, 8)
  })
})
