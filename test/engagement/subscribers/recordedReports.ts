import { readFileSync } from "node:fs"
import type { ReportKind } from "../../../schemas/engagement/subscribers/bounces.ts"

/** The reports, by the server that wrote them. */
export const SERVERS: ReadonlyArray<readonly [server: string, kind: ReportKind]> = [
  ["postfix", "failure"],
  ["exim", "failure"],
  ["sendmail", "failure"],
  ["gmail", "failure"],
  ["exchange", "failure"],
  ["feedbackLoop", "complaint"]
]

/** Returns the report of a server about the mail to the reader of a token. */
export const recorded = (server: string, token: string) =>
  readFileSync(new URL(`./reports/${server}.eml`, import.meta.url), "utf8").replaceAll("TOKEN", token)
