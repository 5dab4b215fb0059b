import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as fc from "fast-check"
import { senderOf } from "../../../layers/config/mailVariables.ts"
import { BACKGROUNDS, siteAccentOf } from "../../../layers/config/siteAccent.ts"
import { problemsOf, read } from "./problems.ts"

const lines = { SITE_NAME: 60, SITE_CLAIM: 160, SITE_NOTICE: 500 } as const

describe("the variables of the site", () => {
  for (const [name, most] of Object.entries(lines)) {
    const expected = `${name}: Expected one line of at most ${most} characters, with a letter or digit and without control or invisible characters`

    it.effect(`The text ${name} is one line of a bounded length`, () =>
      Effect.gen(function* () {
        const said = (text: string) =>
          Effect.map(read({ [name]: text }), (it) => {
            const value = it[name as keyof typeof lines]
            return typeof value === "string" ? value : Option.getOrThrow(value)
          })
        for (const text of [
          `"Mara" & <script>alert('x')</script>`,
          "صحيفة مارا",
          "x".repeat(most),
          `${"🌊".repeat(most - 1)}a`,
          "👩‍👩‍👧‍👦 and us",
          "می‌خواهم"
        ])
          assert.strictEqual(yield* said(text), text)
        assert.strictEqual(yield* said("  Mara  "), "Mara")
        for (const text of [
          "x".repeat(most + 1),
          "x".repeat(10_000),
          "a\nb",
          "a\r\nBcc: b@example.org",
          "a\u0000b",
          "a\u0085b",
          "a\u2028b",
          "a\u202eb",
          "a\u2066b",
          "a\u200fb",
          "a\ud800b",
          "\u200d",
          "…",
          "   x\u200b"
        ])
          assert.deepStrictEqual(yield* problemsOf({ [name]: text }), [expected], JSON.stringify(text))
      })
    )
  }

  it.effect("REGISTRATION is open or closed", () =>
    Effect.gen(function* () {
      for (const REGISTRATION of ["open", "closed"])
        assert.strictEqual((yield* read({ REGISTRATION })).REGISTRATION, REGISTRATION)
      for (const REGISTRATION of ["Closed", "no"])
        assert.lengthOf(yield* problemsOf({ REGISTRATION }), 1, REGISTRATION)
    })
  )

  it.effect("A MAIL_FROM without a name sends under that of the site", () =>
    Effect.gen(function* () {
      const sender = (env: Record<string, string>) =>
        Effect.map(read({ SITE_NAME: "Mara & Söhne", ...env }), senderOf)
      assert.deepEqual(yield* sender({}), { name: "Mara & Söhne", address: "pennypress@localhost" })
      const address = "press@press.example"
      assert.deepEqual(yield* sender({ MAIL_FROM: address }), { name: "Mara & Söhne", address })
      assert.deepEqual(yield* sender({ MAIL_FROM: `Post <${address}>` }), { name: "Post", address })
    })
  )
})

describe("the accent of the site", () => {
  const accent = (SITE_ACCENT: string) =>
    Effect.map(read({ SITE_ACCENT }), (it) => Option.getOrThrow(it.SITE_ACCENT))

  it.effect("A colour is taken for light pages, and a lighter one of its hue is made for dark pages", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* accent("#9C3D0C"), { light: "#9c3d0c", dark: "#ce9e86" })
      assert.deepStrictEqual(yield* accent("#000000"), { light: "#000000", dark: "#b3b3b3" })
      assert.deepStrictEqual(yield* accent("#9c3d0c, #F2A873"), { light: "#9c3d0c", dark: "#f2a873" })
    })
  )

  it.effect("A colour of too little contrast is refused with its ratio, on light and on dark pages", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problemsOf({ SITE_ACCENT: "#ffee00" }), [
        "SITE_ACCENT: Expected a darker colour for light pages: #ffee00 has a contrast of 1.05:1 on their background #f6f0e6, and text needs 4.5:1"
      ])
      assert.deepStrictEqual(yield* problemsOf({ SITE_ACCENT: "#9c3d0c,#9c3d0c" }), [
        "SITE_ACCENT: Expected a lighter colour for dark pages: #9c3d0c has a contrast of 2.46:1 on their background #211d19, and text needs 4.5:1"
      ])
    })
  )

  it.effect("Anything but one or two colours in six digits is refused", () =>
    Effect.gen(function* () {
      for (const SITE_ACCENT of [
        "red",
        "#fff",
        "#1d4ed8ff",
        "#1d4ed8;}body{display:none",
        "#1d4ed8,#9db7ff,#ffffff",
        "rgb(0,0,0)"
      ])
        assert.deepStrictEqual(yield* problemsOf({ SITE_ACCENT }), [
          "SITE_ACCENT: Expected a colour such as #1d4ed8, or one for light and one for dark pages: #1d4ed8,#9db7ff"
        ])
    })
  )

  it("A colour that is accepted can be read on every background of the stylesheet", () => {
    const css = readFileSync("src/platform/pages/assets/reader.css", "utf8")
    const [, paper, darkPaper] = /--paper: light-dark\((.{7}), (.{7})\)/.exec(css) ?? []
    const [, wash, darkWash] = /--wash: light-dark\((.{7}), (.{7})\)/.exec(css) ?? []
    assert.deepEqual<unknown>(BACKGROUNDS, { light: [paper, wash], dark: [darkPaper, darkWash] })
    const colour = fc.integer({ min: 0, max: 0xff_ff_ff }).map((it) => `#${it.toString(16).padStart(6, "0")}`)
    fc.assert(
      fc.property(colour, (light) => {
        const made = siteAccentOf(light)
        // Without a second colour, only the first one can be refused.
        assert.strictEqual(made._tag === "Success" || made.failure.startsWith("a darker colour"), true)
      })
    )
  })
})
