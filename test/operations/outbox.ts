import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"

/** The text of a mail as its reader sees it. */
const textOf = (eml: string) => {
  const [, text = ""] = /Content-Type: text\/plain[^]*?\r\n\r\n([^]*?)\r\n--/.exec(eml) ?? []
  if (!/Content-Transfer-Encoding: quoted-printable/.test(eml)) return text
  return text
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

const foundIn = (text: string, pattern: RegExp) => {
  const [found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`no ${pattern} in: ${text}`)
  return found
}

/** The code in the text of a mail. */
export const codeIn = (text: string) => foundIn(text, /^\d{6}$/m)

/** The confirmation link in the text of a mail. */
export const linkIn = (text: string) => foundIn(text, /https?:\S+type=email_change/)

/**
 * The text of the next mail to a mailbox, out of what a service in development leaves in this data directory. Waits for
 * it; each mail is read once.
 */
export const readingMail = (dataDirectory: string) => {
  const folder = join(dataDirectory, "outbox")
  const read = new Set<string>()
  const unread = (address: string) => {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".eml")) : []
    return names
      .toSorted()
      .filter((name) => !read.has(name))
      .map((name) => ({ name, eml: readFileSync(join(folder, name), "utf8") }))
      .find(({ eml }) => eml.includes(`To: ${address}\r\n`))
  }

  return Effect.fnUntraced(function* (address: string) {
    let text = ""
    yield* eventually(
      `mail to ${address}`,
      Effect.sync(() => {
        const mail = unread(address)
        if (mail === undefined) return false
        read.add(mail.name)
        text = textOf(mail.eml)
        return true
      })
    )
    return text
  })
}
