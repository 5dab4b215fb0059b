import { PUBLISHED_PACKAGE, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"

/** The place of a clone of Pennypress, which a reader puts in place of this. */
const CLONE = "/path/to/pennypress"

/**
 * Returns the words that run the local edition: the published package, or the built file before there is one. A clone has
 * the Node that the file needs; that of the machine may be older.
 */
const wordsOf = (published: string): readonly [string, ...ReadonlyArray<string>] =>
  published === ""
    ? [`${CLONE}/node_modules/.bin/node`, `${CLONE}/dist/svc-mcp/svc-mcp.js`]
    : ["npx", "-y", `${published}@${TOOL_SERVER_VERSION}`]

/** Returns the command that runs the local edition in a terminal. */
export const localCommand = (origin: string, published = PUBLISHED_PACKAGE) =>
  [...wordsOf(published), "--origin", origin].join(" ")

/** Returns the settings by which a client starts the local edition. */
export const localSettings = (origin: string, published = PUBLISHED_PACKAGE) => {
  const [command, ...args] = wordsOf(published)
  return { mcpServers: { "pennypress-local": { command, args: [...args, "--origin", origin, "serve"] } } }
}
