import { execFile } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { variables } from "../layers/config/environment.ts"
import { NanoSignature } from "../schemas/platform/Nano.ts"
import { limits } from "../schemas/platform/rate-limits/limits.ts"
import { makeClient } from "../src/client/PennypressClient.ts"
import { signMessage, walletOf } from "./support/actors/owner.ts"
import { operationOf } from "./support/contract.ts"
import { freshDatabase } from "./support/Database.ts"
import { temporaryDirectory } from "./support/directories.ts"
import { run } from "./support/processes.ts"

const read = (file: string) => readFileSync(file, "utf8")

const readme = read("README.md")
const operating = read("layers/README.md")
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CODE_OF_CONDUCT.md",
  ...globSync(["{schemas,src,migrations,test}/**/README.md", "layers/**/*.md"])
]
const all = documents.map(read).join("\n")
const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts

/** The code blocks of all documents whose first line is this, those of the README first. */
const blocks = (info: string) =>
  [...all.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].filter((it) => it[1] === info).map((it) => it[2] ?? "")

/** The file of a migration that a reader has still to write. */
const NOT_YET = "migrations/NNNN_name.ts"

const lines = (text: string) => text.split("\n").filter((line) => line !== "")

const execute = (command: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const { stdout } = await promisify(execFile)(command, args, {
      env: { ...process.env, ...env },
      maxBuffer: 1 << 24
    })
    return stdout
  })

const documented = "http://localhost:4020"

const ADMIN_TOKEN = "an-admin-token-of-the-tests-of-the-README"

/** Signs in over HTTP, and issues a Publishing key. */
const publishingKey = Effect.fnUntraced(function* (baseUrl: string) {
  const wallet = walletOf(1)
  const { account } = wallet
  const anybody = yield* makeClient({ baseUrl })
  const { challengeId, message } = yield* anybody.sessions.challengeWallet({ payload: { account } })
  const signature = NanoSignature.make(signMessage(wallet, message))
  const { accessToken } = yield* anybody.sessions.claimWallet({
    payload: { challengeId, account, signature }
  })
  const owner = yield* makeClient({ baseUrl, credential: Redacted.make(accessToken) })
  return (yield* owner.apiKeys.issue({ headers: {}, payload: {} })).key
})

/** The service as `npm start` runs it, on a free port and a database of its own. */
const served = Effect.fnUntraced(function* (name: string, env: Record<string, string> = {}) {
  const url = yield* freshDatabase(name)
  const service = yield* run("../../src/bin/pennypress.ts", ["serve"], {
    DATABASE_URL: Redacted.value(url),
    SERVER_SECRET: "a secret for the tests of the README",
    ADMIN_TOKEN,
    ...env,
    PORT: "0"
  })
  const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* service.line) ?? []
  return origin
})

/** Runs a TypeScript example as it is written, with the package's names and the origin in place. */
const example = (source: string, origin: string, env: Record<string, string>) => {
  const here = source
    .replaceAll(`"pennypress/client"`, `"${join(process.cwd(), "src/client/PennypressClient.ts")}"`)
    .replaceAll(`"pennypress"`, `"${join(process.cwd(), "src/index.ts")}"`)
    .replaceAll(documented, origin)
  return Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync("test/.readme-")),
    (folder) => {
      writeFileSync(join(folder, "example.ts"), here)
      return execute(process.execPath, [join(folder, "example.ts")], env)
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
}

describe("the README", () => {
  it.live("The tour and the examples of the README run", () =>
    Effect.gen(function* () {
      const PENNYPRESS_DATA = yield* temporaryDirectory
      const origin = yield* served("test_readme", { SCANNER: "none", PENNYPRESS_DATA })
      const demo = yield* execute(process.execPath, ["src/bin/demo.ts"], {
        PUBLIC_BASE_URL: origin,
        PENNYPRESS_DATA
      })
      assert.include(demo, "Published.")
      assert.notInclude(demo, "![")
      assert.include(demo, `${origin}/desk`)
      assert.match(
        demo,
        /To sign in there, enter demo_[0-9a-f]{8}@example\.org from \d\d:\d\d:\d\d on, a minute after/
      )
      assert.match(demo, /\/attachments\/[0-9a-f-]{36}\n← 200\n\(143 bytes of a ZIP\)\n/)
      const [, summary = ""] = demo.split("/api/v1/finance/summary\n← 200\n")
      assert.match(summary, /"sales": \{\s+"count": 1,[^}]*\},\s+"tips": \{\s+"count": 1,/)

      for (const line of blocks("sh tour").flatMap(lines)) {
        const [, target = ""] = /^curl -s "(.*)"$/.exec(line) ?? []
        // Sends the request itself, as curl may be missing.
        const answer = yield* HttpClient.get(target.replace(documented, origin))
        assert.strictEqual(answer.status, 200, line)
      }

      const env = { ADMIN_TOKEN, PUBLISHING_KEY: yield* publishingKey(origin) }
      const outputs = yield* Effect.forEach(blocks("ts run"), (source) => example(source, origin, env))
      assert.lengthOf(outputs, 3)
      assert.include(outputs[0], "Pennypress, by itself")
      assert.strictEqual(outputs[1], "On pennies is saved as a draft\n")
      assert.strictEqual(
        outputs[2],
        '<p><u>Hello</u>, <a href="https://example.org" rel="nofollow ugc noopener">reader</a> and nobody</p>\n'
      )
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.live("The settings for the live network sell for XNO", () =>
    Effect.gen(function* () {
      const [line = ""] = blocks("sh live").flatMap(lines)
      const env = Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map((it) => it.slice(1, 3)))
      // No request leaves the machine: the service starts while its nodes are away.
      const nowhere = { NANO_RPC_URL: "http://127.0.0.1:1", NANO_WS_URL: "ws://127.0.0.1:1" }
      assert.deepStrictEqual(Object.keys(env), ["PUBLIC_BASE_URL", ...Object.keys(nowhere)])
      const origin = yield* served("test_readme_live", { ...env, ...nowhere })
      const document = yield* Effect.flatMap(HttpClient.get(`${origin}/.well-known/x402`), ({ json }) => json)
      assert.include(JSON.stringify(document), '"network":"nano:mainnet"')
      assert.include(JSON.stringify(document), `"${env["PUBLIC_BASE_URL"]}/docs"`)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it("The scripts that the README names exist", () => {
    const named = [...all.matchAll(/npm (?:run )?([a-z:-]+)/g)].map((it) => it[1] ?? "")
    // Commands of npm itself, and words of sentences.
    const others = new Set(["ci", "install", "pack", "prune", "package", "packages"])
    const unknown = named.filter((name) => !(name in scripts) && !others.has(name))
    assert.deepStrictEqual(unknown, [])
  })

  it("The operations that the README names exist", () => {
    const named = [...all.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`]*)`/g)]
    assert.isAbove(named.length, 8)
    const unknown = named.filter(
      ([, method = "", path = ""]) => operationOf(method, path.replaceAll(/\{\w+\}/g, "x")) === undefined
    )
    assert.deepStrictEqual(
      unknown.map(([text]) => text),
      []
    )
  })

  it("Every variable of the configuration is listed with its default and meaning", () => {
    const rows = Object.entries(variables).map(
      ([name, it]) => `| \`${name}\` | ${it.default} | ${it.meaning} |`
    )
    const table = lines(operating).filter((line) => /^\| `[A-Z0-9_]+` \|/.test(line))
    assert.deepStrictEqual(table, rows)
  })

  it("Every rate limit is listed", () => {
    const kinds = {
      ip: "address",
      mailbox: "mailbox",
      account: "account",
      key: "key",
      caller: "account or address",
      wallet: "wallet",
      installation: "installation"
    } as const
    const rows = Object.entries(limits).map(([name, { by, counts, limit, whenAway, windowSeconds }]) => {
      const cells = [`\`${name}\``, `${windowSeconds} s`, String(limit), kinds[by], counts, whenAway]
      return `| ${cells.join(" | ")} |`
    })
    const table = lines(operating).filter((line) => /^\| `[a-z-]+` \|/.test(line))
    assert.deepStrictEqual(table, rows)
  })

  it("The README has three pictures, each of them described and small", () => {
    const pictures = [...readme.matchAll(/^!\[([^\]]{20,})\]\((\S+)\)$/gm)]
    assert.lengthOf(pictures, 3)
    for (const [, , path = ""] of pictures) assert.isAtMost(readFileSync(path).length, 100_000, path)
    const kept = globSync("src/web/screenshots/*")
    assert.sameMembers(
      pictures.map(([, , path]) => path),
      kept
    )
  })

  it("The README is short, and the commands of contributors exist", () => {
    assert.isAtMost(readme.split("\n").length, 260)
    const commands = blocks("sh operate").flatMap(lines)
    assert.isAbove(commands.length, 4)
    for (const line of commands) {
      const [, name = ""] = /^npm (?:run )?([a-z:-]+)/.exec(line) ?? []
      assert.property(scripts, name, line)
    }
  })

  it("The documents that are linked exist", () => {
    const wrong = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map((it) => it[1] ?? "")
        .filter((target) => /^[\w./-]+$/.test(target) && !existsSync(join(dirname(file), target)))
        .map((target) => `${file}: ${target}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("The files and folders that are named exist", () => {
    const path = /`((?:src|schemas|layers|test|migrations|\.ci|\.github)\/[\w./-]+)(?: [^`]*)?`/g
    const namedBy = (file: string) => [...read(file).matchAll(path)].map((it) => it[1] ?? "")
    assert.isAbove(namedBy("CONTRIBUTING.md").length, 20)
    assert.deepStrictEqual(
      documents.flatMap((file) =>
        namedBy(file)
          .filter((named) => !existsSync(named) && named !== NOT_YET)
          .map((named) => `${file}: ${named}`)
      ),
      []
    )
  })
})
