import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { files, importsOf, isOurs, source } from "./support/modules.ts"
import { writtenBy } from "./support/tables.ts"

// `effect/Result` is a part of `effect` that threads load without the rest.
const EFFECT =
  /^effect(\/(crypto|encoding|http|http-api|net|Result|schema|sql|observability|persistence|rpc))?$/
const PURE =
  /^(@noble\/(curves|hashes)\/[\w./]+|uqr|negotiator|lru-cache|@zip\.js\/zip\.js\/lib\/zip-core-external\.js|@sindresorhus\/slugify|parse5|(mdast|hast)(-util-[\w-]+)?|micromark-(core|extension|util)-[\w-]+)$/

/** Wings, and the wings that each may import beside itself. */
const wings: Readonly<Record<string, ReadonlyArray<string>>> = {
  platform: [],
  accounts: ["platform"],
  publishing: ["accounts", "platform"],
  payments: ["publishing", "accounts", "platform"],
  engagement: ["payments", "publishing", "accounts", "platform"],
  web: ["payments", "engagement", "publishing", "accounts", "platform"]
}

/** Packages that each part may import; the first rule whose `from` matches decides. */
const packages: ReadonlyArray<{ readonly from: RegExp; readonly may: ReadonlyArray<RegExp> }> = [
  // The contract loads anywhere: no Node, no SQL, nothing of the server.
  {
    from: /^schemas\//,
    may: [/^effect(\/(http-api|http|rpc|ai\/\w+|schema|encoding))?$/, /^@noble\/hashes\//]
  },
  { from: /^src\/platform\/ports\//, may: [/^effect(\/net)?$/] },
  { from: /^src\/(mcp|client)\//, may: [/^effect(\/(ai\/\w+|crypto|encoding|http|http-api|rpc))?$/] },
  { from: /^src\/bin\//, may: [/^effect/, /^@effect\/platform-node\/\w+$/, /^node:/, /^@noble\//] },
  { from: /^src\//, may: [EFFECT, PURE] },
  { from: /^migrations\//, may: [/^effect(\/sql)?$/] },
  {
    from: /^layers\//,
    may: [
      /^effect/,
      /^@effect\//,
      /^node:/,
      /^@noble\//,
      /^jose$/,
      /^nodemailer/,
      /^opentype\.js$/,
      /^lowlight$/,
      /^lru-cache$/,
      /^redis$/,
      /^sharp(-phash)?$/,
      /^@zip\.js\/zip\.js\/lib\/zip-core-external\.js$/,
      /^@(aws-sdk|smithy)\//
    ]
  }
]

/** Modules of this repository that each part may import; the first rule whose `from` matches decides. */
const modules: ReadonlyArray<{ readonly from: RegExp; readonly may: ReadonlyArray<RegExp> }> = [
  { from: /^schemas\//, may: [/^schemas\//] },
  { from: /^src\/platform\/ports\//, may: [/^src\/platform\/ports\//, /^schemas\//] },
  // The front of the hosted tools is a route as any other: the platform counts and answers its requests.
  {
    from: /^src\/mcp\/(endpoint|http|layer|pages)\.ts$/,
    may: [/^src\/mcp\//, /^src\/platform\/(?!sql\/)/, /^schemas\//]
  },
  // A local wallet signs as the service verifies, and answers are bounded as those of a node.
  {
    from: /^src\/mcp\/local\//,
    may: [/^src\/(mcp|client)\//, /^src\/platform\/(http-client\/wholeAnswers\.ts$|nano\/)/, /^schemas\//]
  },
  // The client and the tools know the service by its contract alone.
  { from: /^src\/(mcp|client)\//, may: [/^src\/(mcp|client)\//, /^schemas\//] },
  // Only the programs wire adapters to the domain.
  { from: /^src\/bin\//, may: [/^(src|layers|schemas)\//] },
  // Handlers speak to their service; SQL is for statements.
  {
    from: /^src\/.*\/(http|rpc|pages|routes)\.ts$/,
    may: [/^src\/(?!platform\/sql\/)(?!.*\.sql\.ts)/, /^schemas\//]
  },
  { from: /^src\//, may: [/^src\//, /^schemas\//] },
  // The database gets the triggers of all features.
  { from: /^layers\/postgres\/triggers\.ts$/, may: [/\.trigger\.sql\.ts$/] },
  // An adapter implements ports and knows no feature. Its threads and processes run our pure functions.
  {
    from: /^layers\//,
    may: [
      /^layers\//,
      /^src\/platform\/(http-client\/wholeAnswers\.ts$|(ports|nano|time)\/)/,
      /^src\/publishing\/(archives|content|image-formats)\//,
      // The reader of imports, which has no port of the platform, as it knows what becomes of a file.
      /^src\/publishing\/imports\/(\w+\.ts$|(conversion|forms)\/)/,
      // The state of the local edition has tables of its own.
      /^src\/mcp\/local\/(failures|ports|state)\//,
      /^schemas\//
    ]
  }
]

const wrongImports = (
  rules: typeof packages,
  isMeant: (imported: string) => boolean
): ReadonlyArray<string> =>
  files.flatMap((file) => {
    const rule = rules.find(({ from }) => from.test(file))
    return importsOf(file)
      .filter(isMeant)
      .filter((imported) => rule === undefined || !rule.may.some((allowed) => allowed.test(imported)))
      .map((imported) => `${file} imports ${imported}`)
  })

const featureOf = (file: string) => /^src\/([^/]+\/[^/]+)\//.exec(file)?.[1]

const wingOf = (file: string) => /^(?:src|schemas)\/([^/]+)\//.exec(file)?.[1]

describe("the house", () => {
  it("Imports flow one way", () => {
    assert.deepStrictEqual(wrongImports(modules, isOurs), [])
  })

  it("Each part uses only the packages that it may", () => {
    assert.deepStrictEqual(
      wrongImports(packages, (imported) => !isOurs(imported) && !/^(src|package\.json)/.test(imported)),
      []
    )
  })

  it("Clients load no example of the document", () => {
    const loaded = new Set(["schemas/Api.ts", ...files.filter((file) => file.startsWith("src/client/"))])
    for (const file of loaded) for (const imported of importsOf(file).filter(isOurs)) loaded.add(imported)
    assert.include([...loaded], "schemas/accounts/me/http.ts")
    assert.notInclude([...loaded], "schemas/DocumentedApi.ts")
    assert.notInclude([...loaded], "schemas/examples.json")
    assert.include(importsOf("schemas/DocumentedApi.ts"), "schemas/examples.json")
  })

  it("A wing imports only the wings below it", () => {
    const wrong = files.flatMap((file) => {
      const wing = wingOf(file)
      const may = wing === undefined ? undefined : wings[wing]
      if (wing === undefined || may === undefined) return []
      return importsOf(file)
        .filter((imported) => {
          const other = wingOf(imported)
          const isSameTree = imported.split("/")[0] === file.split("/")[0]
          return isSameTree && other !== undefined && other in wings && other !== wing && !may.includes(other)
        })
        .map((imported) => `${file} imports ${imported}`)
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("Only handlers, pages, routes and the server use the HTTP envelope", () => {
    // The wing of the pages is an edge as a whole, but for its statements and the functions from views to pages.
    const edge =
      /^src\/(platform\/http\/|bin\/server\/|app\.ts|web\/(?!.*(\.sql|Page|Section|View)\.ts$))|\/(http|rpc|pages|routes)\.ts$/
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.startsWith("src/platform/http/") && !edge.test(file))
        .map((imported) => `${file} imports ${imported}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("Only the edge names the families of errors", () => {
    const families =
      /^schemas\/platform\/errors\/(families|inProblems|inJson|problems|jsonErrors|commonStatuses)\.ts$/
    const edge = new RegExp(
      [
        "^schemas/platform/",
        "^schemas/.*(http|Api)\\.ts$",
        "^src/platform/http/",
        "^src/bin/server/badRequest\\.ts$",
        "^src/.*/(http|rpc|pages|routes)\\.ts$"
      ].join("|")
    )
    const inside = files.filter((file) => !edge.test(file))
    assert.deepStrictEqual(
      inside.flatMap((file) =>
        importsOf(file)
          .filter((imported) => families.test(imported))
          .map((imported) => `${file} imports ${imported}`)
      ),
      []
    )
    const named = /\b(\w+Problem|in(Problems|Json)\(|problem\+json|httpApiStatus)\b/
    assert.deepStrictEqual(
      inside.filter((file) => named.test(source(file))),
      []
    )
  })

  it("SQL stands in statements, which use no service", () => {
    const sql = /^src\/platform\/(sql|work|idempotency)\/|\.sql\.ts$/
    // Services for other features whose methods are one statement each, and the reading of refused writes.
    const exceptions = new Set([
      "src/accounts/administration/AuditLog.ts",
      "src/accounts/owners/OwnerPayouts.ts",
      "src/accounts/owners/OwnerProfiles.ts",
      "src/publishing/posts/SavedReferences.ts",
      "src/publishing/posts/writeErrors.ts"
    ])
    const outside = files.filter(
      (file) =>
        file.startsWith("src/") &&
        importsOf(file).includes("effect/sql") &&
        !sql.test(file) &&
        !exceptions.has(file)
    )
    assert.deepStrictEqual(outside, [])
    const services = files
      .filter((file) => /\bContext\.Service</.test(source(file)))
      .map((file) => basename(file, ".ts"))
      // Statements of the local edition get their transaction from its port.
      .filter((name) => name !== "StateStore")
    const used = new RegExp(`(yield\\* |Effect\\.(flatM|m)ap\\()(${services.join("|")})\\b`)
    assert.match("const owners = yield* Owners", used)
    assert.deepStrictEqual(
      files.filter((file) => file.endsWith(".sql.ts") && used.test(source(file))),
      []
    )
  })

  it("Statements are functions and no service of their own", () => {
    const repositories = files.filter(
      (file) => file.endsWith("Repo.ts") || /\bclass \w*Repo\b/.test(source(file))
    )
    assert.deepStrictEqual(repositories, [])
  })

  it("A feature uses another feature's service, and pages also its statements that only read", () => {
    const handlers = /\/(http|rpc|pages|routes)\.ts$/
    const isRead = (file: string, statements: string) =>
      wingOf(file) === "web" && writtenBy(source(statements)).size === 0
    const wrong = files.flatMap((file) =>
      [...source(file).matchAll(/import \{([^}]*)\} from "([^"]+\.sql\.ts)"/g)]
        .filter(([, names = ""]) => /\w+Statements\b/.test(names))
        .map(([, , path = ""]) => join(dirname(file), path))
        .filter(
          (it) =>
            file.startsWith("src/") &&
            (handlers.test(file) || (featureOf(it) !== featureOf(file) && !isRead(file, it)))
        )
        .map((imported) => `${file} imports ${imported}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("Layers are put together only in a feature's layer.ts, the assemblies and the programs", () => {
    const assemblies =
      /^(src\/(app\.ts|bin\/)|layers\/((live|observability)\.ts|testing\/))|^src\/.*\/layer\.ts$/
    const wrong = files.filter(
      (file) => !assemblies.test(file) && /Layer\.provide(Merge)?\(/.test(source(file))
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("An authority is made only by the service that checks it", () => {
    const makers = (name: string) => files.filter((file) => source(file).includes(`${name}.make(`))
    assert.deepStrictEqual(makers("OwnerAuthority"), ["src/accounts/sessions/Sessions.ts"])
    assert.deepStrictEqual(makers("BrowserAuthority"), ["src/accounts/browser-sessions/BrowserSessions.ts"])
    assert.deepStrictEqual(makers("ModeratorAuthority"), ["src/accounts/administration/Moderators.ts"])
    assert.deepStrictEqual(makers("PublisherAuthority"), [
      "src/accounts/api-keys/ApiKeys.ts",
      "src/accounts/api-keys/WebsiteKeys.ts"
    ])
    assert.deepStrictEqual(makers("GuestAuthority"), ["src/accounts/owners/Guests.ts"])
    assert.deepStrictEqual(makers("AdministratorAuthority"), [
      "src/accounts/administration/Administrators.ts"
    ])
    assert.deepStrictEqual(makers("VerifiedMailbox"), ["src/accounts/email-codes/EmailCodes.ts"])
  })

  it("Time and chance come from services", () => {
    const wrong = files.filter(
      (file) =>
        !file.startsWith("layers/postgres/") &&
        /\bDate\.now\(|Math\.random\(|\bnow\(\)\s*(,|\)|where)/.test(source(file))
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("The package's own barrel is the only one", () => {
    const barrels = files.filter((file) => /(^|\/)index\.ts$/.test(file))
    assert.deepStrictEqual(barrels, ["src/index.ts"])
  })
})
