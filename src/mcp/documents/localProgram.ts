import { PUBLISHED_PACKAGE, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"

/** The place of the built file, which a reader puts in place of this. */
const FILE = "/path/to/svc-mcp.js"

/** Returns the words that run the local edition: the published package, or the built file before there is one. */
const wordsOf = (published: string): readonly [string, ...ReadonlyArray<string>] =>
  published === "" ? ["node", FILE] : ["npx", "-y", `${published}@${TOOL_SERVER_VERSION}`]

/** Returns the command that runs the local edition in a terminal. */
export const localCommand = (origin: string, published = PUBLISHED_PACKAGE) =>
  [...wordsOf(published), "--origin", origin].join(" ")

/** Returns the settings by which a client starts the local edition. */
export const localSettings = (origin: string, published = PUBLISHED_PACKAGE) => {
  const [command, ...args] = wordsOf(published)
  return { mcpServers: { "pennypress-local": { command, args: [...args, "--origin", origin, "serve"] } } }
}
