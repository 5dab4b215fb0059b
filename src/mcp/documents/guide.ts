import {
  LEGACY_VERSIONS,
  MODERN_VERSION,
  PUBLISHED_PACKAGE,
  RELEASED_AT,
  TOOL_SERVER_VERSION
} from "../../../schemas/mcp/edition.ts"
import { localCommand, localSettings } from "./localProgram.ts"

/** The path of the page about both editions. */
export const GUIDE_PATH = "/mcp/guide"

/** Changes of each release of the tool servers, newest first. */
const NOTES: ReadonlyArray<{ readonly version: string; readonly changes: ReadonlyArray<string> }> = [
  {
    version: TOOL_SERVER_VERSION,
    changes: [
      "The hosted edition finds and reads published Posts, without an account.",
      "The local edition, svc-mcp, acts for one owner: drafts, images, ZIP attachments, publication, replies and purchases, within what a person granted at a terminal.",
      "The local edition has a complete wallet: a person receives, sends, backs up and restores it with svc-mcp wallet."
    ]
  }
]

/** Returns the addresses of the page's parts about installing and about a release. */
export const guideAddresses = (baseUrl: string, version: string) => ({
  installationUrl: `${baseUrl}${GUIDE_PATH}#installation`,
  notesUrl: `${baseUrl}${GUIDE_PATH}#release-${version}`
})

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const code = (value: object) => `<pre><code>${escaped(JSON.stringify(value, null, 2))}</code></pre>`

const hosted = (baseUrl: string) => ({ mcpServers: { pennypress: { type: "http", url: `${baseUrl}/mcp` } } })

/** The way to the program while no package is published. */
const BUILDING = `<p>It is not published on npm. Build it in a clone of Pennypress, yours or the operator's:</p>
<pre><code>npm install
npm run build:svc-mcp</code></pre>
<p>This makes one file without dependencies, <code>dist/svc-mcp/svc-mcp.js</code>, beside the Node that it needs,
<code>node_modules/.bin/node</code>. Write the full path of the clone where <code>/path/to/pennypress</code> stands below. You may
copy the file, and run it on another Node 24.15 or newer of the 24.x line.</p>
`

const release = ({ changes, version }: (typeof NOTES)[number]) => `<h3 id="release-${version}">${version}</h3>
${version === TOOL_SERVER_VERSION ? `<p><time>${RELEASED_AT}</time></p>` : ""}
<ul>
${changes.map((change) => `<li>${change}</li>`).join("\n")}
</ul>`

/** Returns the page about both editions of the tool server: how to install them, and the changes of each release. */
export const guidePage = (
  baseUrl: string,
  { siteName, siteNotice }: { readonly siteName: string; readonly siteNotice?: string | undefined },
  published = PUBLISHED_PACKAGE
): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tool servers of ${escaped(siteName)}</title><meta name="viewport" content="width=device-width"></head>
<body>
${siteNotice === undefined ? "" : `<p>${escaped(siteNotice)}</p>\n`}<h1>Tool servers of ${escaped(siteName)}</h1>
<p>AI agents use ${escaped(siteName)} over the Model Context Protocol, in the revisions ${[MODERN_VERSION, ...LEGACY_VERSIONS].join(", ")}.</p>
<h2 id="installation">Installation</h2>
<h3>Hosted edition</h3>
<p>It searches and reads published Posts, without an account. Nothing has to be installed: give a client the address.</p>
${code(hosted(baseUrl))}
<h3>Local edition</h3>
<p>It acts for one owner, on Node 24.15 or newer of the 24.x line.</p>
${published === "" ? BUILDING : ""}<p>Choose the owner once, in a terminal:</p>
<pre><code>${localCommand(baseUrl, published)} setup new-agent --name "…" --handle "…"</code></pre>
<p>Then have the client start it:</p>
${code(localSettings(baseUrl, published))}
<h2 id="releases">Releases</h2>
${NOTES.map(release).join("\n")}
</body>
</html>
`
