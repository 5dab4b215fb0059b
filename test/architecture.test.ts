import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const EFFECT = /^effect(\/(crypto|encoding|http|http-api|net|schema|sql|observability|persistence|rpc))?$/
const PURE =
  /^(@noble\/(curves|hashes)\/[\w./]+|file-type|@sindresorhus\/slugify|(mdast|hast)(-util-[\w-]+)?|micromark-(core|extension|util)-[\w-]+)$/

/**
 * Who may import whom. The first rule whose `from` matches a file decides: it
 * may import what its `may` matches, from this repository and from packages.
 */
const rules: ReadonlyArray<{ readonly from: RegExp; readonly may: ReadonlyArray<RegExp> }> = [
  // The contract loads anywhere: no Node, no SQL, nothing of the server.
  {
    from: /^schemas\//,
    may: [/^schemas\//, /^effect(\/(http-api|http|rpc|ai|schema|encoding))?$/, /^@noble\/hashes\//]
  },
  // A port is an interface over values of the contract.
  { from: /^src\/ports\//, may: [/^src\/ports\//, /^schemas\//, /^effect(\/net)?$/] },
  // The client knows the service by its contract alone.
  {
    from: /^src\/(mcp|client)\//,
    may: [/^src\/(mcp|client)\//, /^schemas\//, /^effect(\/(ai|http|http-api|rpc))?$/]
  },
  // Only the programs wire adapters to the domain.
  {
    from: /^src\/bin\//,
    may: [/^(src|layers|schemas)\//, /^effect/, /^@effect\/platform-node\/\w+$/, /^node:/, /^@noble\//]
  },
  // Handlers speak to their service; SQL is for repositories.
  {
    from: /^src\/[^/]+\/(http|rpc)\.ts$/,
    may: [/^src\/(?!sql\/)(?!.*Repo\.ts)/, /^schemas\//, /^effect(\/(http|http-api|rpc))?$/]
  },
  // Repositories hold the only SQL, and use no service.
  {
    from: /^src\/.*(Repo|Json|Refusal|claim|Transactions|JsonText|prepared)\.ts$/,
    may: [
      /^src\/(sql|idempotency)\/[\w]+\.ts$/,
      /^src\/[\w-]+\/[a-z]\w*\.ts$/,
      /^schemas\//,
      /^effect(\/(sql|schema))?$/
    ]
  },
  { from: /^src\/(http\/|app\.ts|index\.ts)/, may: [/^src\//, /^schemas\//, EFFECT] },
  {
    from: /^src\/(?!.*Repo)/,
    may: [/^src\//, /^schemas\//, /^effect(\/(crypto|encoding|persistence))?$/, PURE]
  },
  { from: /^migrations\//, may: [/^effect(\/sql)?$/] },
  // An adapter implements ports and knows no feature.
  {
    from: /^layers\//,
    may: [
      /^layers\//,
      /^src\/ports\//,
      // The arithmetic of Nano is nobody's feature, nor is what Markdown means or how images are made.
      /^src\/(nano|content|images)\//,
      /^schemas\//,
      /^effect/,
      /^@effect\//,
      /^node:/,
      /^@noble\//,
      /^jose$/,
      /^nodemailer/,
      /^redis$/,
      /^sharp(-phash)?$/,
      /^@(aws-sdk|smithy)\//
    ]
  },
  { from: /^test\//, may: [/./] }
]

const files = ["schemas", "src", "layers", "migrations"].flatMap((folder) => globSync(`${folder}/**/*.ts`))

const source = (file: string) => readFileSync(file, "utf8")

const importsOf = (file: string) =>
  [...source(file).matchAll(/^(?:import|export)\s[^"]*?from "([^"]+)"|^import "([^"]+)"/gm)].map(
    ([, from, bare]) => {
      const specifier = from ?? bare ?? ""
      return specifier.startsWith(".") ? join(dirname(file), specifier) : specifier
    }
  )

const featureOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1]

describe("the house", () => {
  it("imports flow one way", () => {
    const wrong = files.flatMap((file) => {
      const rule = rules.find(({ from }) => from.test(file))
      return importsOf(file)
        .filter((imported) => rule === undefined || !rule.may.some((allowed) => allowed.test(imported)))
        .map((imported) => `${file} imports ${imported}`)
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("a feature uses another feature's service, never its repository", () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((it) => it.endsWith("Repo.ts") && file !== "src/app.ts" && featureOf(it) !== featureOf(file))
        .map((imported) => `${file} imports ${imported}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("layers are put together in the assembly, the adapters' assembly and the programs alone", () => {
    const assemblies = /^(src\/(app\.ts|bin\/)|layers\/(live\.ts|testing\/))/
    const wrong = files.filter(
      (file) => !assemblies.test(file) && /Layer\.provide(Merge)?\(/.test(source(file))
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("an authority is made by the service that checks it, and nowhere else", () => {
    const makers = (name: string) => files.filter((file) => source(file).includes(`${name}.make(`))
    assert.deepStrictEqual(makers("OwnerAuthority"), ["src/accounts/sessions/Sessions.ts"])
    assert.deepStrictEqual(makers("PublisherAuthority"), ["src/accounts/api-keys/ApiKeys.ts"])
    assert.deepStrictEqual(makers("GuestAuthority"), ["src/accounts/owners/Accounts.ts"])
    assert.deepStrictEqual(makers("AdministratorAuthority"), [
      "src/accounts/administration/Administrators.ts"
    ])
    assert.deepStrictEqual(makers("VerifiedMailbox"), ["src/accounts/email-codes/EmailCodes.ts"])
  })

  it("time and chance come from services", () => {
    const wrong = files.filter(
      (file) =>
        !file.startsWith("layers/postgres/") &&
        /\bDate\.now\(|Math\.random\(|\bnow\(\)\s*(,|\)|where)/.test(source(file))
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("files are small", () => {
    const tables = new Set(["schemas/platform/errors/problems.ts"])
    const long = files.filter((file) => !tables.has(file) && source(file).split("\n").length > 260)
    assert.deepStrictEqual(long, [])
  })

  it("there are no barrels but the package's own", () => {
    const barrels = files.filter((file) => /(^|\/)index\.ts$/.test(file))
    assert.deepStrictEqual(barrels, ["src/index.ts"])
  })
})
