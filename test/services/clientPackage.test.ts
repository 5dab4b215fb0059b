import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"
import { executed } from "./svcMcpProgram.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const MIB = 1024 * 1024

const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((file) =>
    lstatSync(join(directory, file)).isFile()
  )

/** Runs npm in a directory. */
const npm = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync(
    "npm",
    [...args, "--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"],
    {
      cwd,
      encoding: "utf8"
    }
  )

/** A program of a client: it calls a service that is not there, and compares a value with the contract. */
const PROGRAM = `
import { FetchHttpClient } from "effect/http"
import { Effect, Redacted, Schema } from "effect"
import { makeClient, PennypressClient } from "pennypress-client/client"
import { makeServiceClient } from "pennypress-client/service-client"
import { Api } from "pennypress-client/schemas"
import { NanoAddress } from "pennypress-client/schemas/platform/Nano"
import { createRequire } from "node:module"

const document = createRequire(import.meta.url)("pennypress-client/openapi.json")
const asked = Effect.gen(function* () {
  const client = yield* makeClient({ baseUrl: "http://127.0.0.1:1", credential: Redacted.make("a") })
  return yield* client.discovery.posts({ query: { sort: "newest" } })
})
const failed = await Effect.runPromise(asked.pipe(Effect.flip, Effect.provide(FetchHttpClient.layer)))
console.log(JSON.stringify([
  failed._tag,
  typeof makeServiceClient,
  typeof PennypressClient.layer,
  Object.keys(Api.groups).includes("posts"),
  Schema.is(NanoAddress)("nano_1"),
  Object.keys(document.paths).length > 50
]))
`

describe("the package of clients", () => {
  it.live(
    "A project with its own effect installs the tarball, and calls a service with it",
    () =>
      Effect.gen(function* () {
        const out = join(yield* temporaryDirectory, "pennypress-client")
        const built = yield* executed("npm", ["run", "build:client"], { CLIENT_OUT: out })
        assert.strictEqual(built.code, 0, built.output + built.log)
        const project = yield* temporaryDirectory
        const [packed] = JSON.parse(npm(out, "pack", "--json", "--pack-destination", project))
        writeFileSync(join(project, "package.json"), '{ "type": "module" }')
        npm(project, "install", `./${packed.filename}`)

        const modules = join(project, "node_modules")
        const installed = filesIn(modules)
        const bytes = installed.reduce((sum, file) => sum + lstatSync(join(modules, file)).size, 0)
        assert.isBelow(bytes, 15 * MIB)
        assert.deepStrictEqual(
          installed.filter((file) => file.startsWith("pennypress-client/") && file.endsWith(".map")),
          []
        )
        for (const file of installed.filter((it) => /^pennypress-client\/.*\.js$/.test(it)))
          assert.notInclude(readFileSync(join(modules, file), "utf8"), "sourceMappingURL", file)
        assert.include(installed, "pennypress-client/LICENSE")
        assert.isFalse(installed.some((file) => file.startsWith("effect/")))

        symlinkSync(join(root, "node_modules", "effect"), join(modules, "effect"))
        writeFileSync(join(project, "program.ts"), PROGRAM)
        const { code, log, output } = yield* executed(process.execPath, [join(project, "program.ts")])
        assert.strictEqual(code, 0, log)
        assert.deepStrictEqual(JSON.parse(output), [
          "HttpClientError",
          "function",
          "function",
          true,
          false,
          true
        ])

        // Its types are whole: a program of the project compiles with them.
        mkdirSync(join(modules, "@types"), { recursive: true })
        symlinkSync(join(root, "node_modules", "@types", "node"), join(modules, "@types", "node"))
        const compilerOptions = {
          noEmit: true,
          strict: true,
          skipLibCheck: true,
          module: "nodenext",
          target: "es2024",
          types: ["node"]
        }
        writeFileSync(
          join(project, "tsconfig.json"),
          JSON.stringify({ files: ["program.ts"], compilerOptions })
        )
        const checked = yield* executed(join(root, "node_modules", ".bin", "tsc"), ["-p", project])
        assert.strictEqual(checked.code, 0, checked.output)
      }),
    300_000
  )
})
