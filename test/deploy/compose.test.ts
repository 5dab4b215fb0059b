import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { variables } from "../../layers/config/environment.ts"
import { read, SECRET } from "../layers/config/problems.ts"
import { composeOf, schemaErrors, takenBy } from "./composeFile.ts"

const source = readFileSync("compose.yaml", "utf8")
const file = composeOf(source)
const { pennypress, ...others } = file.services
const example = readFileSync("layers/deploy/env.example", "utf8")

const taken = takenBy(source)
/** Names of env.example with their values, also those that are comments. */
const offered = new Map(
  [...example.matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value])
)

describe("compose.yaml", () => {
  it("The file is valid by the schema of Compose", () => {
    assert.deepStrictEqual(schemaErrors(source), [])
    assert.isNotEmpty(schemaErrors("services: { a: { image: b:1.0, dependson: [] } }"))
  })

  it("The file names images of an exact version, and builds our own", () => {
    assert.strictEqual(pennypress?.build, ".")
    for (const [name, { image = "" }] of Object.entries(others)) {
      assert.match(image, /(:v?\d+\.\d+[\w.-]*|@sha256:[0-9a-f]{64})$/, name)
    }
  })

  it("The service waits for healthy services, except for the scanner, which loads for minutes", () => {
    assert.deepStrictEqual(
      Object.entries(pennypress?.depends_on ?? {}).map(([name, { condition }]) => `${name} ${condition}`),
      [
        "postgres service_healthy",
        "valkey service_healthy",
        "garage service_healthy",
        "clamd service_started"
      ]
    )
    for (const [name, { healthcheck }] of Object.entries(others)) assert.isDefined(healthcheck, name)
  })

  it("Data is in named volumes, and mounted files exist", () => {
    const mounts = Object.values(file.services).flatMap(({ volumes = [] }) => volumes)
    const sources = mounts.map((mount) => mount.split(":")[0] ?? "")
    const named = sources.filter((it) => !it.startsWith("./"))
    assert.deepStrictEqual(named.toSorted(), Object.keys(file.volumes).toSorted())
    assert.deepStrictEqual(
      sources.filter((it) => it.startsWith("./") && !existsSync(it)),
      []
    )
  })

  it("One port is open, and only to this machine", () => {
    const ports = Object.values(file.services).flatMap((service) => service.ports ?? [])
    assert.deepStrictEqual(ports, ["127.0.0.1:4020:4020"])
    for (const name of ["postgres", "valkey", "garage"])
      assert.deepStrictEqual(others[name]?.networks, ["backend"])
  })

  it("Each secret comes from .env, or the start ends with a message", () => {
    for (const { name, rest } of taken) {
      assert.strictEqual(rest, ":?is missing in .env", name)
      assert.isTrue(offered.has(name), name)
    }
    for (const [name, value] of offered) {
      if (/PASSWORD|SECRET|KEY/.test(name)) assert.strictEqual(value, "", name)
    }
    assert.include(readFileSync(".gitignore", "utf8").split("\n"), ".env")
  })

  it("The service gets only settings that exist", () => {
    const own = new Set(taken.map(({ name }) => name))
    const unknown = [...Object.keys(pennypress?.environment ?? {}), ...offered.keys()].filter(
      (name) => !(name in variables) && !own.has(name)
    )
    assert.deepStrictEqual(unknown, [])
  })

  it.effect("The service gets only settings that it accepts", () =>
    Effect.gen(function* () {
      const filled = new Map([...offered].map(([name, value]) => [name, value === "" ? SECRET : value]))
      const expand = (text: string) =>
        text.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name: string) => filled.get(name) ?? "")
      const environment = Object.entries(pennypress?.environment ?? {}).map(([name, value]) => [
        name,
        expand(value)
      ])
      const settings = yield* read({ ...Object.fromEntries(filled), ...Object.fromEntries(environment) })
      assert.strictEqual(settings.PUBLIC_BASE_URL, "https://press.example")
      assert.strictEqual(settings.NANO_LEDGER, "node")
      assert.isTrue(Option.isSome(settings.DATABASE_URL) && Option.isSome(settings.S3_URL))
      assert.deepStrictEqual(settings.CLAMD_URL, Option.some({ host: "clamd", port: 3310 }))
    })
  )

  it("The file configures clamd as the service needs it", () => {
    const settings = readFileSync("layers/deploy/clamd.conf", "utf8")
    const [, paragraph = ""] =
      /- \*\*The scanner\.\*\*([\s\S]*?)\n- \*\*/.exec(readFileSync("layers/ONE-MACHINE.md", "utf8")) ?? []
    const named = [...paragraph.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, name = ""]) => name)
    assert.isAbove(named.length, 6)
    assert.deepStrictEqual(
      named.filter((name) => !new RegExp(`^${name} \\S+$`, "m").test(settings)),
      []
    )
    assert.strictEqual(others["clamd"]?.environment?.["TZ"], "UTC")
  })

  it("The image of clamd is one for arm64 and amd64", () => {
    assert.match(readFileSync("compose.yaml", "utf8"), /^    image: clamav\/clamav-debian:\S+_base$/m)
  })

  it("The commands of the README name files, services and commands that exist", () => {
    const [, block = ""] = /^```sh others\n([\s\S]*?)^```$/m.exec(readFileSync("README.md", "utf8")) ?? []
    const [copy = "", start, ...execs] = block.trim().split("\n")
    assert.isTrue(existsSync(copy.split(" ")[1] ?? ""), copy)
    assert.strictEqual(start, "docker compose up --detach --build")
    assert.isNotEmpty(execs)
    const commandLine = readFileSync("src/bin/commandLine.ts", "utf8")
    for (const line of execs) {
      const [, program = "", command = ""] =
        /^docker compose exec pennypress node (\S+) ([a-z]+)(?: |$)/.exec(line) ?? []
      assert.include(readFileSync("Dockerfile", "utf8"), program, line)
      assert.match(commandLine, new RegExp(`Command\\.make\\(\\s*"${command}"`), line)
    }
    const proxy = readFileSync("layers/deploy/Caddyfile", "utf8")
    assert.match(proxy, /^\trespond \/metrics 404$/m)
    assert.match(proxy, /header_up -Forwarded/)
    assert.include(proxy, `reverse_proxy ${pennypress?.ports?.[0]?.split(":").slice(0, 2).join(":")}`)
  })
})
