import type { Redirect, RedirectsFormat } from "../../../../schemas/publishing/imports/Import.ts"
import { csvLine } from "../../../platform/csv/csvLine.ts"
import type { RedirectRow } from "../rows/items.sql.ts"

/** A list of redirects as a file. */
export interface RedirectsFile {
  readonly contentType: string
  readonly fileName: string
  readonly text: string
}

/** Returns a path as it stands in the first line of a request: escaped once. */
const requestPath = (path: string) => {
  try {
    return encodeURI(decodeURI(path))
  } catch {
    return encodeURI(path)
  }
}

/** Characters that mean something in a file of a server, or end a word in it. */
// oxlint-disable-next-line no-control-regex -- Paths must not have these.
const SPECIAL = /[\s"'`;{}$#*\\\u0000-\u001f\u007f]/u

/** Returns the redirects of items, each old path once. */
export const redirectsOf = (rows: ReadonlyArray<RedirectRow>, baseUrl: string): ReadonlyArray<Redirect> => {
  const paths = new Set<string>()
  return rows.flatMap(({ handle, is_public, old_paths, post_id, slug }) =>
    old_paths.flatMap((old): ReadonlyArray<Redirect> => {
      const from = requestPath(old)
      if (paths.has(from)) return []
      paths.add(from)
      return [{ from, to: `${baseUrl}/@${handle}/${slug}`, postId: post_id, public: is_public }]
    })
  )
}

/** Writes redirects in a form that a server or a platform reads. */
export const redirectsFile = (redirects: ReadonlyArray<Redirect>, format: RedirectsFormat): RedirectsFile => {
  switch (format) {
    case "csv": {
      const lines = redirects.map((it) => csvLine([it.from, it.to, String(it.public)]))
      return {
        contentType: "text/csv; charset=utf-8",
        fileName: "redirects.csv",
        text: csvLine(["from", "to", "public"]) + lines.join("")
      }
    }
    case "json":
      return {
        contentType: "application/json",
        fileName: "redirects.json",
        text: JSON.stringify({ data: redirects })
      }
    case "ghost":
      return {
        contentType: "application/json",
        fileName: "redirects.json",
        // Ghost reads each path as a regular expression.
        text: JSON.stringify(
          redirects.map(({ from, to }) => ({
            from: `^${from.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`,
            to,
            permanent: true
          }))
        )
      }
    case "apache":
      return {
        contentType: "text/plain; charset=utf-8",
        fileName: "redirects.conf",
        text: redirects
          .filter(({ from }) => from.startsWith("/") && !SPECIAL.test(from))
          .map(({ from, to }) => `Redirect 301 ${from} ${to}\n`)
          .join("")
      }
  }
}
