import { globSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { triggers } from "../layers/postgres/triggers.ts"
import { readBy, tables, withoutComments, writtenBy } from "./support/tables.ts"

/** Folders that may write a table of another folder, each with its reason. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  owners: {
    "src/accounts/sessions":
      "The claim of a wallet challenge finds or makes the owner, opens the session and issues its tokens in one statement"
  }
}

/** Adapters that name tables in their SQL, each with its reason. */
const adapters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "layers/backup/restoreDatabase.ts": {
    owners: "A database with accounts is in use, and nothing is restored into it"
  },
  "layers/doctor/mailPace.ts": {
    subscribers: "The doctor compares the pace of mail with the readers there are"
  },
  "layers/nano/ledgerStoreSql.ts": {
    dev_ledger_blocks: "The development ledger is the only one that reads and writes its blocks"
  }
}

/** Statements that read tables of a wing above their own, each with its reason. */
const upward: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "src/platform/mail/mails.sql.ts": {
    owners:
      "A claim of mails looks the owner up, so that the request that posts a mail takes the same time for every mailbox"
  },
  "src/payments/tips/tipTargets.sql.ts": {
    comments: "A tip to a comment pays its author, who is found with the comment in one statement"
  },
  "src/payments/tips/tips.sql.ts": {
    notification_preferences: "A list of tips names the payers who chose to be shown, in one statement"
  }
}

/** Columns that decide who sees a row, and those of readers who got the whole text, each with the only feature that may spell it: the one that writes it. */
const visibility: ReadonlyArray<readonly [pattern: RegExp, feature: string]> = [
  [/\bstatus\s*(?:=|<>|!=|in\b)\s*\(?'(?:draft|published)'/i, "src/publishing/posts"],
  [/\brestricted_at\b/i, "src/accounts/owners"],
  [/\bwhole_(?:html|headings)\b/i, "src/publishing/posts"],
  [/\bhidden_(?:by_moderator_|with_author_)?at\b/i, "src/engagement/comments"]
]

/** Returns the features whose columns of visibility a source text spells. */
const spelledIn = (source: string): ReadonlyArray<string> =>
  visibility.flatMap(([pattern, feature]) => (pattern.test(withoutComments(source)) ? [feature] : []))

/** Feature of a file: `src/<wing>/<feature>`, with all folders inside the feature. */
const featureOf = (file: string) => dirname(file).split("/").slice(0, 3).join("/")

/** Tables, each with the features that write it. */
const writers = () => {
  const found = new Map<string, Set<string>>()
  // The state of the local tool server is a database of its own.
  for (const file of globSync("src/**/*.ts").filter((file) => !file.startsWith("src/mcp/local/")))
    for (const table of writtenBy(readFileSync(file, "utf8")))
      found.set(table, (found.get(table) ?? new Set()).add(featureOf(file)))
  return found
}

const triggerFiles = globSync("src/**/*.trigger.sql.ts")

const TRIGGER = /create or replace trigger (\w+)\s[^`]*?\son ([a-z_]+)\s/g

/** Triggers, each with the table whose changes start it. */
const triggersOf = (source: string) =>
  [...source.matchAll(TRIGGER)].map(([, trigger = "", table = ""]) => ({ trigger, table }))

const wingOf = (feature: string | undefined) => feature?.split("/")[1]

describe("tables", () => {
  it("The database gets the triggers of every feature", () => {
    const statements = triggerFiles.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/create or replace (?:function|trigger) \w+/g)].map(
        ([head]) => head
      )
    )
    const made = triggers.flat().join("\n")
    assert.deepStrictEqual(
      statements.filter((head) => !made.includes(head)),
      []
    )
    for (const statement of triggers.flat()) assert.match(statement, /^create or replace /)
  })

  it("A trigger stands in the feature that owns its table, and writes only tables of its own wing", () => {
    const written = writers()
    const ownersOf = (table: string) =>
      [...(written.get(table) ?? [])].filter((feature) => exceptions[table]?.[feature] === undefined)
    const found = triggerFiles.flatMap((file) => {
      const feature = featureOf(file)
      const source = readFileSync(file, "utf8")
      const elsewhere = triggersOf(source).filter(({ table }) => !ownersOf(table).includes(feature))
      const foreign = [...writtenBy(source)].filter((table) =>
        ownersOf(table).some((owner) => wingOf(owner) !== wingOf(feature))
      )
      return elsewhere.map(({ trigger }) => trigger).concat(foreign.map((table) => `${file} writes ${table}`))
    })
    assert.deepStrictEqual(found, [])
  })

  it("A trigger is found with its table at any of its events", () => {
    assert.deepStrictEqual(
      triggersOf(
        "create or replace trigger t_kept after insert or delete or update of a, b on posts\n for each row"
      ),
      [{ trigger: "t_kept", table: "posts" }]
    )
  })

  it("Migrations make no triggers and no functions with statements", () => {
    const wrong = globSync("migrations/*.ts").filter((file) =>
      /create (?:or replace )?trigger|plpgsql/.test(readFileSync(file, "utf8"))
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("A function that statements call writes no table", () => {
    const called = triggers
      .flat()
      .filter((statement) => /^create or replace function (?!\w+\(\) returns trigger\b)/.test(statement))
    assert.deepStrictEqual(
      called.filter((statement) => writtenBy(`\`${statement}\``).size > 0),
      []
    )
  })

  it("Each table is written by one feature, and others call its service", () => {
    const wrong = [...writers()]
      .map(([table, features]) => ({
        table,
        features: [...features].filter((feature) => exceptions[table]?.[feature] === undefined)
      }))
      .filter(({ features }) => features.length > 1)
    assert.deepStrictEqual(wrong, [])
  })

  it("Pages read views, and statements of the wings that own the tables", () => {
    const wrong = globSync("src/web/**/*.ts").flatMap((file) => {
      const source = readFileSync(file, "utf8")
      return [...readBy(source), ...writtenBy(source)].map((table) => ({ file, table }))
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("Statements read tables of their own wing and of wings below, except where one is declared", () => {
    const written = writers()
    const wings = ["platform", "accounts", "publishing", "payments", "engagement", "web"]
    const found: Record<string, ReadonlyArray<string>> = {}
    for (const file of globSync("src/**/*.ts").filter((file) => !file.startsWith("src/mcp/local/"))) {
      const wing = wings.indexOf(wingOf(featureOf(file)) ?? "")
      const above = [...readBy(readFileSync(file, "utf8"))].filter((table) =>
        [...(written.get(table) ?? [])].some((feature) => wings.indexOf(wingOf(feature) ?? "") > wing)
      )
      if (wing >= 0 && above.length > 0) found[file] = above.toSorted()
    }
    const declared = Object.entries(upward).map(([file, of]) => [file, Object.keys(of).toSorted()])
    assert.deepStrictEqual(found, Object.fromEntries(declared))
  })

  it("Only declared adapters name tables, and no feature writes the tables that an adapter writes", () => {
    const named: Record<string, ReadonlyArray<string>> = {}
    const written = writers()
    const shared: Array<string> = []
    for (const file of globSync("layers/**/*.ts")) {
      const source = readFileSync(file, "utf8")
      const all = new Set([...readBy(source), ...writtenBy(source)])
      if (all.size > 0) named[file] = [...all].toSorted()
      shared.push(...[...writtenBy(source)].filter((table) => written.has(table)))
    }
    const declared = Object.entries(adapters).map(([file, of]) => [file, Object.keys(of).toSorted()])
    assert.deepStrictEqual(named, Object.fromEntries(declared))
    assert.deepStrictEqual(shared, [])
  })

  it("The tables that are written are those of the migrations", () => {
    assert.deepStrictEqual(
      [...writers().keys()].filter((table) => !tables.has(table)),
      []
    )
    assert.isAbove(tables.size, 15)
  })

  it("Only the feature that writes a column of visibility spells it, and others select from the views", () => {
    const wrong = globSync("src/**/*.ts").flatMap((file) =>
      spelledIn(readFileSync(file, "utf8"))
        .filter((feature) => feature !== featureOf(file))
        .map((feature) => ({ file, feature }))
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("Statements search the words that the database keeps, and never read the words of a text for a search", () => {
    const wrong = globSync("src/**/*.ts").filter((file) =>
      /\b(?:to_tsvector|search_words|author_words)\s*\(/.test(withoutComments(readFileSync(file, "utf8")))
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("A column of visibility is found in SQL, and not in a comment", () => {
    assert.deepStrictEqual(spelledIn("sql`select from posts p where p.status = 'published'`"), [
      "src/publishing/posts"
    ])
    assert.deepStrictEqual(spelledIn("`STATUS in ('published')`"), ["src/publishing/posts"])
    assert.deepStrictEqual(spelledIn("`${owner}.restricted_at is null`"), ["src/accounts/owners"])
    assert.deepStrictEqual(spelledIn("`hidden_at is null or hidden_by_moderator_at is null`"), [
      "src/engagement/comments"
    ])
    assert.deepStrictEqual(
      spelledIn("/** By `status = 'published'`. */\n// and restricted_at\nsql`select 1`"),
      []
    )
  })

  it("Every exception is still needed by a file", () => {
    const found = writers()
    const unused = Object.entries(exceptions).flatMap(([table, features]) =>
      Object.keys(features).filter((feature) => found.get(table)?.has(feature) !== true)
    )
    assert.deepStrictEqual(unused, [])
  })

  it("A write is found in any spelling, and neither a lock nor an upsert counts", () => {
    const written = (sql: string) => [...writtenBy(`sql\`${sql}\``)]
    assert.deepStrictEqual(written("INSERT INTO posts (id) values (1)"), ["posts"])
    assert.deepStrictEqual(written("update posts p set title = ''"), ["posts"])
    assert.deepStrictEqual(written("with gone as (delete from\n posts where id = 1) select 1"), ["posts"])
    assert.deepStrictEqual(written("select from posts for update skip locked"), [])
    assert.deepStrictEqual(written("select from posts p for update of p"), [])
    assert.deepStrictEqual(written("select from posts p for no key update of p"), [])
    assert.deepStrictEqual(written("create trigger t after insert or update of a or delete on posts"), [])
    assert.deepStrictEqual(written("insert into a (id) values (1) on conflict (id) do update set id = 1"), [
      "a"
    ])
    assert.deepStrictEqual([...writtenBy("// `update posts set`\n/* `delete from posts where` */")], [])
  })

  it("A read is found in any SQL, and neither a view nor a comment counts", () => {
    const read = (source: string) => [...readBy(source)]
    assert.deepStrictEqual(read("sql`select from posts p JOIN owners o on true`"), ["posts", "owners"])
    assert.deepStrictEqual(read("sql`select ${isAll ? sql`` : sql`(select id from gifts)`}`"), ["gifts"])
    assert.deepStrictEqual(read('const newest = "select id from tips"'), ["tips"])
    assert.deepStrictEqual(read("sql`select from public_posts, lateral (select from post_counts) n`"), [
      "post_counts"
    ])
    assert.deepStrictEqual(read("sql`delete from gifts g using tips where true`"), ["gifts"])
    assert.deepStrictEqual(read("sql`select from posts p, owners as o, tips where true`"), [
      "posts",
      "owners",
      "tips"
    ])
    assert.deepStrictEqual(read("sql`select comments, purchases from public_posts`"), [])
    assert.deepStrictEqual(read("// from posts\n/* join owners */"), [])
  })
})
