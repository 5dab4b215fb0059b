import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { variables } from "../../layers/config/environment.ts"
import { startFlags } from "../support/startScript.ts"
import { contextOf, execForm, instructionsOf, ourStages, pairsOf, stagesOf } from "./dockerfile.ts"

const manifest: {
  readonly dependencies: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<string>
} = JSON.parse(readFileSync("package.json", "utf8"))

const stages = ourStages()
const last = stages.at(-1)?.instructions ?? []
const textsOf = (name: string) => last.filter((it) => it.name === name).map(({ text }) => text)
const environment = Object.assign({}, ...textsOf("ENV").map(pairsOf)) as Readonly<Record<string, string>>
const command = execForm(textsOf("CMD").at(-1) ?? "") ?? []

describe("the image", () => {
  it("Each stage has a base of an exact version, with the Node of package.json", () => {
    assert.lengthOf(stages, 3)
    for (const { base } of stages) {
      assert.match(base, /^node:\d+\.\d+\.\d+-[a-z]+-slim$/)
      assert.include(base, `node:${manifest.dependencies["node"]}-`)
    }
  })

  it("The base can be set by digest with one argument", () => {
    const [argument] = instructionsOf(readFileSync("Dockerfile", "utf8"))
    assert.strictEqual(argument?.name, "ARG")
    const pinned = stagesOf(
      readFileSync("Dockerfile", "utf8").replace(/^(ARG NODE_IMAGE)=.*$/m, "$1=node@sha256:a")
    )
    assert.deepStrictEqual(
      pinned.map(({ base }) => base),
      stages.map(() => "node@sha256:a")
    )
  })

  it("The image installs what the lock says, without scripts of packages", () => {
    const installs = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ name, text }) => name === "RUN" && /^npm (?!run)/.test(text))
        .map(({ text }) => text)
    )
    assert.deepStrictEqual(installs, ["npm ci --ignore-scripts", "npm ci --omit=dev --ignore-scripts"])
  })

  it("The last stage has no tool to build or install anything", () => {
    const [run = "", ...others] = textsOf("RUN")
    assert.lengthOf(others, 0)
    assert.notMatch(run, /\b(apt|apt-get|apk|dpkg|npm (ci|install)|curl|wget|gcc|make)\b/)
    for (const tool of ["/usr/local/lib/node_modules", "npm", "npx", "corepack", "yarn"])
      assert.include(run, tool)
  })

  it("The image runs as a user with a fixed number, who owns only the data", () => {
    assert.deepStrictEqual(textsOf("USER"), ["10001:10001"])
    const [run = ""] = textsOf("RUN")
    assert.match(run, /useradd --uid 10001 --gid 10001 .* pennypress/)
    assert.match(run, /install --directory --owner=10001 --group=10001 --mode=0700 \/var\/lib\/pennypress/)
    assert.deepStrictEqual(textsOf("VOLUME"), [environment["PENNYPRESS_DATA"]])
    const names = last.map(({ name }) => name)
    assert.isAbove(names.indexOf("USER"), Math.max(names.lastIndexOf("COPY"), names.lastIndexOf("RUN")))
  })

  it("The last stage copies only built files, as files of root", () => {
    const copies = last.filter(({ name }) => name === "COPY")
    assert.isAbove(copies.length, 3)
    for (const { flags } of copies) assert.deepStrictEqual(Object.keys(flags), ["from"])
    const copied = copies.flatMap(({ text }) => text.split(" ").slice(0, -1))
    for (const file of [...manifest.files, "node_modules", "package.json", "LICENSE"])
      assert.include(copied, `/app/${file}`)
  })

  it("The image tells an engine how to start, check and stop it, without a shell", () => {
    assert.deepStrictEqual(textsOf("STOPSIGNAL"), ["SIGTERM"])
    const [check = ""] = textsOf("HEALTHCHECK")
    assert.include(execForm(check.replace(/^CMD\s+/, ""))?.at(-1), "/health/ready")
    assert.deepStrictEqual(textsOf("EXPOSE"), [environment["PORT"]])
    assert.deepStrictEqual(command.slice(-2), ["dist/src/bin/pennypress.js", "serve"])
  })

  it("The image starts with the options of npm start, and with settings that exist", () => {
    assert.deepStrictEqual(command.slice(1, -2), startFlags)
    const known = new Set([...Object.keys(variables), "NODE_ENV"])
    assert.deepStrictEqual(
      Object.keys(environment).filter((name) => !known.has(name)),
      []
    )
  })

  it("The image is built from the files that it copies, and no others reach the engine", () => {
    const ignored = readFileSync(".dockerignore", "utf8")
    const patterns = ignored.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    assert.strictEqual(patterns[0], "*")
    const sources = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ flags, name }) => name === "COPY" && flags["from"] === undefined)
        .flatMap(({ text }) => text.split(" ").slice(0, -1))
    )
    assert.deepStrictEqual([...contextOf(ignored)].toSorted(), [...new Set(sources)].toSorted())
    assert.lengthOf(patterns, contextOf(ignored).size + 1)
  })

  it("A Dockerfile is read with continued lines, flags and stages", () => {
    const source =
      "ARG A=b:1\n# Comment\nFROM ${A} AS one\nRUN x \\\n  # Comment\n  && y\nCOPY --from=one /a ./\n"
    assert.deepStrictEqual(stagesOf(source), [
      {
        base: "b:1",
        name: "one",
        instructions: [
          { name: "RUN", flags: {}, text: "x && y" },
          { name: "COPY", flags: { from: "one" }, text: "/a ./" }
        ]
      }
    ])
  })
})
