import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { walletOf } from "./support/actors/owner.ts"
import { emptyDatabase } from "./support/Database.ts"
import { temporaryDirectory } from "./support/directories.ts"
import { run } from "./support/processes.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const at = (...path: ReadonlyArray<string>) => join(root, ...path)

const ADMIN_TOKEN = "operator-token-of-more-than-32-characters"

/** The folder of the package that the gate has built. */
const BUILT = process.env["BUILT_PACKAGE"]

/** Builds the package into `outDir` as `npm run build` does, without its types: `npm run check` checks those. */
const build = (project: string, outDir: string) => {
  if (BUILT !== undefined) return cpSync(at(BUILT), outDir, { recursive: true })
  const folders = ["src", "schemas", "layers", "migrations"]
  const compilerOptions = {
    noCheck: true,
    declaration: false,
    rootDir: root,
    outDir,
    typeRoots: [at("node_modules", "@types")],
    plugins: []
  }
  const config = {
    extends: at("tsconfig.json"),
    include: folders.map((it) => at(it, "**/*.ts")),
    compilerOptions
  }
  const path = join(project, "tsconfig.json")
  writeFileSync(path, JSON.stringify(config))
  execFileSync(at("node_modules", ".bin", "tsc"), ["-p", path])
  const assets = join("src", "platform", "pages", "assets")
  cpSync(at(assets), join(outDir, assets), { recursive: true })
}

/**
 * Creates a project of another team: the built package among its dependencies, which both share, and the programs of
 * `test/library`. Returns its folder.
 */
const project = Effect.tap(temporaryDirectory, (folder) =>
  Effect.sync(() => {
    const dependencies = join(folder, "node_modules")
    const library = join(dependencies, "pennypress")
    mkdirSync(library, { recursive: true })
    for (const name of readdirSync(at("node_modules"))) {
      if (!name.startsWith(".")) symlinkSync(at("node_modules", name), join(dependencies, name))
    }
    build(folder, join(library, "dist"))
    cpSync(at("package.json"), join(library, "package.json"))
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
    cpSync(at("test", "library"), folder, { recursive: true })
  })
)

const linesOf = ({ line }: { readonly line: Effect.Effect<string> }, count: number) =>
  Effect.replicateEffect(line, count)

it.live("A service of another team embeds the built package, and a third one calls it over RPC", () =>
  Effect.gen(function* () {
    const folder = yield* project
    const url = Redacted.value(yield* emptyDatabase("test_library"))
    const env = { DATABASE_URL: url, ADMIN_TOKEN, PAYOUT_ADDRESS: walletOf(1).account }
    const embedder = yield* run(join(folder, "embedder.ts"), [], env)
    const lines = yield* linesOf(embedder, 7)
    const published = {
      freeContentMarkdown: "A penny for your thoughts.\n",
      status: "published",
      url: "https://press.test/@ada_writes/on-pennies"
    }
    assert.deepStrictEqual(lines, [
      "HandleTaken",
      "replayed",
      "IdempotencyMismatch",
      "RevisionConflict",
      "queued",
      "PublicationIncomplete payoutAddress",
      JSON.stringify(published)
    ])

    const [baseUrl = "", operationId = "", PUBLISHING_KEY = ""] = (yield* embedder.line).split(" ")
    const administrator = yield* run(join(folder, "administrator.ts"), [baseUrl, operationId], env)
    assert.deepStrictEqual(yield* linesOf(administrator, 3), [
      "held and released",
      "UploadNotFound 00000000-0000-7000-8000-000000000000",
      "NotAdministrator"
    ])

    const caller = yield* run(join(folder, "caller.ts"), [baseUrl], { ...env, PUBLISHING_KEY })
    const overRpc = {
      freeContentMarkdown: "Sent by another process.\n",
      status: "published",
      url: "https://press.test/@ada_writes/over-rpc"
    }
    assert.deepStrictEqual(yield* linesOf(caller, 12), [
      "replayed",
      "IdempotencyMismatch",
      "Validation language",
      "queued",
      "UploadConflict",
      "RevisionConflict",
      "published",
      JSON.stringify(overRpc),
      "Ada L. has 2 Posts, the newest Over RPC",
      "NotFound",
      "Unauthorized",
      "NotAdministrator"
    ])
  }).pipe(Effect.scoped)
)
