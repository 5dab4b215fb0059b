import { ENTRY_DEPTH_MAX, ENTRY_NAME_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { PACK_AGAIN, Refused } from "./refusal.ts"
import { isUtf8 } from "./unicodeText.ts"

/** Names that Windows keeps for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9¹²³])$/i
const DRIVE = /^[a-z]:/i
// oxlint-disable-next-line no-control-regex -- Names must not have these.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u
/** Characters that turn the direction of the text after them, so that a name shows as another one. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

const unsafe = (what: string, advice = "Rename it and pack the files again.") =>
  new Refused("unsafe_name", `The archive has a file or folder ${what}. ${advice}`)

const backslash = (bytes: Uint8Array) =>
  isUtf8(bytes)
    ? unsafe(
        "with a backslash in its name, as PowerShell 5.1 and old .NET programs write between folders",
        "Pack the files again with 7-Zip or PowerShell 7."
      )
    : unsafe(
        "whose name is in an old code page, such as Shift_JIS, GBK or Big5, and has a backslash for some programs",
        "Pack the files again with names in UTF-8: with PowerShell 7, or with 7-Zip and the parameter `cu=on`."
      )

const checkSegment = (segment: string) => {
  if (segment === "" || segment === "." || segment === "..")
    throw unsafe(
      "whose path has an empty part, `.` or `..`",
      "Pack the folder by its name, rather than by a path with such parts."
    )
  if (/[. ]$/u.test(segment)) throw unsafe("whose name ends in a dot or a space, which Windows drops")
  // The number of a version in the names of VMS.
  if (/;[0-9]*$/u.test(segment))
    throw unsafe("whose name ends in a semicolon and digits, which some programs drop")
  const [base = ""] = segment.split(".")
  if (DEVICE.test(base.trimEnd())) throw unsafe("with the name of a Windows device, such as CON or NUL")
}

/** Returns true for a byte that is a control character in every encoding of names. */
const isControlByte = (byte: number) => byte < 0x20 || byte === 0x7f

/**
 * Returns the parts of a name, which is these bytes. Throws for one that some program would unpack elsewhere or under another
 * name.
 */
export const partsOf = (name: string, bytes: Uint8Array): ReadonlyArray<string> => {
  if (bytes.length === 0) throw unsafe("without a name", PACK_AGAIN)
  if (bytes.length > ENTRY_NAME_BYTES_MAX)
    throw unsafe(
      `whose path has more than ${ENTRY_NAME_BYTES_MAX} bytes`,
      "Shorten the names, or nest fewer folders, and pack the files again."
    )
  if (name.includes("\\")) throw backslash(bytes)
  if (name.startsWith("/") || DRIVE.test(name))
    throw unsafe(
      "with a path that begins with a slash or a drive",
      "Pack the folder by its name, rather than by its whole path."
    )
  // The old code page has pictures in the places of control characters.
  if (CONTROL.test(name) || bytes.some(isControlByte))
    throw unsafe(
      "with a control character in its name, such as the hidden icon file of a folder on a Mac",
      "Rename it or leave it out, and pack the files again."
    )
  if (BIDI.test(name)) throw unsafe("with a character in its name that changes the direction of text")
  const parts = (name.endsWith("/") ? name.slice(0, -1) : name).split("/")
  if (parts.length > ENTRY_DEPTH_MAX)
    throw unsafe(
      `within more than ${ENTRY_DEPTH_MAX - 1} folders`,
      "Nest fewer folders, and pack the files again."
    )
  for (const part of parts) checkSegment(part)
  return parts
}

/** Returns what two names share that are the same on some file system. */
export const sameNameKey = (name: string): string =>
  name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
