import type { ReportKind } from "../../../../schemas/engagement/subscribers/bounces.ts"

/** Bytes of a report that are read. What servers say comes first, and the mail that they return after it. */
export const REPORT_BYTES_MAX = 256 * 1024

/** Characters of a head that are read. */
const HEAD_MAX = 65_536
/** Parts of a message that are read, with those of its parts, and how deep they nest. */
const PARTS_MAX = 16
const DEPTH_MAX = 4
/** Recipients of a report that are read: a mail of ours has one. */
const GROUPS_MAX = 32

/** The content of a report. A member is missing if the report does not say it. */
interface BounceReport {
  readonly kind?: ReportKind
  readonly token?: string
}

/** A part of a message that has no parts of its own. */
interface Part {
  readonly type: string
  readonly body: string
}

type Fields = ReadonlyArray<readonly [name: string, value: string]>

/** The token within an address of the envelope, in any case: servers change it. */
const TOKEN = /\+([\da-f]{48})@/i

/** The fields of a report that hold its recipient, as servers deliver it. */
const RECIPIENTS: ReadonlyArray<string> = ["delivered-to", "x-original-to", "to"]

/** Kinds of feedback that are no complaint of a reader (RFC 5965, RFC 6591). */
const NO_COMPLAINTS: ReadonlySet<string> = new Set(["", "not-spam", "auth-failure"])

const fieldsOf = (head: string): Fields =>
  head
    .slice(0, HEAD_MAX)
    .replaceAll(/\n[ \t]+/g, " ")
    .split("\n")
    .flatMap((line) => {
      const colon = line.indexOf(":")
      return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]]
    })

const valueOf = (fields: Fields, name: string) => fields.find(([it]) => it === name)?.[1] ?? ""

/** Splits a message or a part into its fields and its body. */
const opened = (text: string) => {
  const end = text.startsWith("\n") ? 0 : text.indexOf("\n\n")
  return {
    fields: fieldsOf(end < 0 ? text : text.slice(0, end)),
    body: end < 0 ? "" : text.slice(text.startsWith("\n") ? 1 : end + 2)
  }
}

/** Returns the texts between the lines of a boundary. */
const between = (body: string, boundary: string): ReadonlyArray<string> => {
  const line = `\n--${boundary}`
  const text = `\n${body}`
  const parts: Array<string> = []
  let start = -1
  for (let at = text.indexOf(line); at >= 0 && parts.length < PARTS_MAX;) {
    const next = text.charAt(at + line.length)
    const isEnd = text.startsWith("--", at + line.length)
    // Another boundary may begin with this one.
    if (isEnd || next === "\n" || next === " " || next === "\t" || next === "") {
      if (start >= 0) parts.push(text.slice(start, at))
      const lineEnd = text.indexOf("\n", at + 1)
      if (isEnd || lineEnd < 0) return parts
      start = lineEnd + 1
    }
    at = text.indexOf(line, at + 1)
  }
  // The end of a long report is cut off.
  return start >= 0 && parts.length < PARTS_MAX ? [...parts, text.slice(start)] : parts
}

/** Adds the parts of a message. The mail that a report returns stays closed: its sender wrote it, and no server. */
const addParts = (text: string, depth: number, parts: Array<Part>): Fields => {
  const { body, fields } = opened(text)
  const contentType = valueOf(fields, "content-type")
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
  if (!type.startsWith("multipart/")) {
    if (parts.length < PARTS_MAX) parts.push({ type, body })
    return fields
  }
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare
  if (boundary !== undefined && depth < DEPTH_MAX)
    for (const part of between(body, boundary)) addParts(part, depth + 1, parts)
  return fields
}

/** Returns true if a server gave a recipient up for good (RFC 3464). */
const saysFailure = ({ body, type }: Part): boolean =>
  /^message\/(global-)?delivery-status$/.test(type) &&
  body
    .split(/\n[ \t]*\n/, GROUPS_MAX)
    .map(fieldsOf)
    .some(
      (fields) =>
        /^5\.\d{1,3}\.\d{1,3}(?!\d)/.test(valueOf(fields, "status")) &&
        /^(failed\b|$)/i.test(valueOf(fields, "action"))
    )

/** Returns the fields of a complaint (RFC 5965). */
const complaintOf = ({ body, type }: Part): Fields | undefined => {
  if (type !== "message/feedback-report") return undefined
  const fields = fieldsOf(body)
  return NO_COMPLAINTS.has(valueOf(fields, "feedback-type").toLowerCase()) ? undefined : fields
}

/**
 * Reads a report of a mail server: text whose characters are bytes. A recipient from outside comes before those in the report.
 * Anything that is not a report says nothing.
 */
export const readReport = (text: string, recipient = ""): BounceReport => {
  const parts: Array<Part> = []
  const report = text.slice(0, REPORT_BYTES_MAX).replaceAll("\r\n", "\n")
  const fields = addParts(report, 0, parts)
  const complaint = parts.map(complaintOf).find((it) => it !== undefined)
  const kind: ReportKind | undefined =
    complaint === undefined ? (parts.some(saysFailure) ? "failure" : undefined) : "complaint"
  const recipients = [
    recipient,
    ...RECIPIENTS.flatMap((name) => fields.filter(([it]) => it === name).map(([, value]) => value)),
    // A complaint goes to an address that the operator gave the provider, and names the envelope of the mail.
    valueOf(complaint ?? [], "original-mail-from")
  ]
  const token = recipients.map((it) => TOKEN.exec(it)?.[1]).find((it) => it !== undefined)
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(token === undefined ? {} : { token: token.toLowerCase() })
  }
}
