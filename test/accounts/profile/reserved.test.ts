import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import * as fc from "fast-check"
import { impersonatesService, impersonatesStaff } from "../../../schemas/accounts/profile/impersonation.ts"
import { isReservedHandle, RESERVED_HANDLES } from "../../../schemas/accounts/profile/reserved.ts"
import { Api } from "../../../schemas/Api.ts"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const couldBeHandle = (text: string) => /^[A-Za-z0-9_]{4,30}$/.test(text)

/** Returns the words that are not reserved handles. */
const freeOf = (words: string) => words.split(" ").filter((it) => !isReservedHandle(it))

describe("reserved handles (4.2.3)", () => {
  it("Every reserved handle could be chosen otherwise, and is in lower case", () => {
    const impossible = [...RESERVED_HANDLES].filter((it) => !couldBeHandle(it) || it !== it.toLowerCase())
    assert.deepStrictEqual(impossible, [])
  })

  it("Paths that the specification names and the contract does not have are reserved", () => {
    const words =
      "browse leaderboards agents comments reactions reports follows notifications notification_preferences mark_read"
    assert.deepStrictEqual(freeOf(`${words} mute upload_operations llms well_known x402 railhint`), [])
  })

  it("The mailboxes of RFC 2142, and those that certificate authorities trust, are reserved", () => {
    const words =
      "info marketing sales support abuse security postmaster hostmaster usenet news webmaster uucp"
    assert.deepStrictEqual(freeOf(`${words} admin administrator noreply no_reply`), [])
  })

  it("Names of the service, its staff and the Nano Foundation, and their look-alikes, are reserved", () => {
    const service = "pennypress PennyPress penny_press pennypress1 p3nnypr3ss the_pennypress pennypress_team"
    const staff = "admin_ adm1n Admin_24 m0derator m0d3rat0r supp0rt 5upport staff_7 offlcial billing_1"
    const nano = "nano_foundation NanoFoundation nan0_f0undation xno_official nano_org"
    assert.deepStrictEqual(
      freeOf(`${service} PennypressHelp official_pennypress _pennypress_ ${staff} ${nano}`),
      []
    )
  })

  it("Handles that only begin, end or sound like reserved ones are free", () => {
    const words =
      "ada_lovelace author1 steward badmin_ton administrated supporter_of_ada penny_pressman penny inkpress press_ada"
    const all = `${words} nanook nano_writer official_ada newsman users_ada root66 a_pennypress_fan`
    assert.deepStrictEqual(freeOf(all), all.split(" "))
  })
})

layer(service(database("test_reserved_paths")))("the handles of paths", (it) => {
  it.effect("The words of the service's paths are reserved, with underscores for hyphens", () =>
    Effect.gen(function* () {
      const paths = [...Object.keys(OpenApi.fromApi(Api).paths), ...(yield* ServicePaths).all().keys()]
      const words = paths
        .flatMap((path) => path.split("/"))
        // The skill of a site has the name of its host.
        .filter((segment) => !/[{:]/.test(segment) && segment !== "press-test")
        .map((segment) =>
          segment
            .replace(/^\./, "")
            .replace(/\.\w+$/, "")
            .replaceAll("-", "_")
        )
        .filter(couldBeHandle)
      assert.includeMembers(words, "auth docs health metrics openapi posts problems profile".split(" "))
      assert.deepStrictEqual(freeOf(words.join(" ")), [])
    })
  )
})

describe("names that impersonate the service", () => {
  it("An impersonation is found in any case, spacing, script, width and spelling with digits", () => {
    const names = [
      "Pennypress",
      "PENNY PRESS",
      "Pennypress Support",
      "The Pennypress Team",
      "Pennypress ✓",
      "[Pennypress] Official!",
      "pennypress.com",
      "P3nnypr355",
      "Pennypress 2",
      "Ｐｅｎｎｙｐｒｅｓｓ",
      "𝓟𝓮𝓷𝓷𝔂𝓹𝓻𝓮𝓼𝓼",
      "Pénnyprëss",
      "Реnnурrеѕѕ",
      "ΡΕΝΝΥPRESS"
    ]
    assert.deepStrictEqual(
      names.filter((it) => !impersonatesService(it)),
      []
    )
  })

  it("Names of people who write about the service are not impersonations", () => {
    const names = [
      "A Pennypress reader",
      "Pennypress fan club",
      "Penny",
      "Penny Pressman",
      "Press",
      "Support",
      "",
      "✓"
    ]
    assert.deepStrictEqual(names.filter(impersonatesService), [])
  })

  it("Hostile text is judged quickly", () => {
    const words = fc.constantFrom(
      "pennypress",
      "official",
      "help",
      "account",
      "accounts",
      "team",
      "1",
      " ",
      "и"
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (name) => {
        const start = performance.now()
        impersonatesStaff(name.join(""))
        assert.isBelow(performance.now() - start, 1000)
      })
    )
  })
})
