import { globSync, readFileSync } from "node:fs"

/**
 * A statement that writes a table, in SQL text. Locks, upserts and the events of triggers, as in `for update of`,
 * `do update set` and `insert or update of`, name no table.
 */
const WRITE =
  /\b(?:insert\s+into|(?<!(?:for|key|do|or|after|before)\s)update(?:\s+only)?|delete\s+from)\s+"?([a-z_]+)"?(?=[\s(])/gi
const ITEM = '"?[a-z_]+"?(?:\\s+(?:as\\s+)?[a-z_]+)?'
/** The tables that a statement reads, in SQL text: one, or a list with commas. */
const READ = new RegExp(`\\b(?:from|join)\\s+(?:only\\s+)?(${ITEM}(?:\\s*,\\s*${ITEM})*)`, "gi")
const SQL_TEXT = /`[^`]*`/g
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm

/** Returns a source text without its comments. */
export const withoutComments = (source: string): string => source.replaceAll(COMMENT, " ")

/** Returns the tables that a source text writes. */
export const writtenBy = (source: string): ReadonlySet<string> =>
  new Set(
    [...withoutComments(source).matchAll(SQL_TEXT)].flatMap(([text]) =>
      [...text.matchAll(WRITE)].map(([, table = ""]) => table.toLowerCase())
    )
  )

/** Tables that the migrations make. */
export const tables: ReadonlySet<string> = new Set(
  globSync("migrations/*.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/create (?:unlogged )?table (?:if not exists )?([a-z_]+)/g)].map(
      ([, table = ""]) => table
    )
  )
)

/** Returns the tables of the migrations that a source text reads, anywhere: templates within templates have SQL, too. */
export const readBy = (source: string): ReadonlySet<string> =>
  new Set(
    [...withoutComments(source).matchAll(READ)]
      .flatMap(([, list = ""]) => list.toLowerCase().split(","))
      .map((item) => /[a-z_]+/.exec(item)?.[0] ?? "")
      .filter((name) => tables.has(name))
  )
