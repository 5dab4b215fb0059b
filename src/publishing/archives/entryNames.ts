import { ENTRY_DEPTH_MAX, ENTRY_NAME_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { Refused } from "./refusal.ts"

/** Names that Windows keeps for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9¹²³])$/i
const DRIVE = /^[a-z]:/i
// oxlint-disable-next-line no-control-regex -- Names must not have these.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u
/** Characters that turn the direction of the text after them, so that a name shows as another one. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

const unsafe = (what: string) =>
  new Refused("unsafe_name", `The archive has an entry ${what}. Rename it and pack the archive again.`)

const checkSegment = (segment: string) => {
  if (segment === "" || segment === "." || segment === "..")
    throw unsafe("whose name has an empty part, `.` or `..`")
  if (/[. ]$/u.test(segment)) throw unsafe("with a part that ends in a dot or a space")
  // The number of a version in the names of VMS.
  if (/;[0-9]*$/u.test(segment))
    throw unsafe("with a part that ends in a semicolon and digits, which some programs drop")
  const [base = ""] = segment.split(".")
  if (DEVICE.test(base.trimEnd())) throw unsafe("with the name of a device, such as CON or NUL")
}

/** Returns true for a byte that is a control character in every encoding of names. */
const isControlByte = (byte: number) => byte < 0x20 || byte === 0x7f

/**
 * Returns the parts of a name, which is these bytes. Throws for one that some program would unpack elsewhere or under another
 * name.
 */
export const partsOf = (name: string, bytes: Uint8Array): ReadonlyArray<string> => {
  if (bytes.length === 0) throw unsafe("without a name")
  if (bytes.length > ENTRY_NAME_BYTES_MAX)
    throw unsafe(`with a name of more than ${ENTRY_NAME_BYTES_MAX} bytes`)
  if (name.includes("\\")) throw unsafe("with a backslash in its name")
  if (name.startsWith("/") || DRIVE.test(name)) throw unsafe("with an absolute name")
  // The old code page has pictures in the places of control characters.
  if (CONTROL.test(name) || bytes.some(isControlByte)) throw unsafe("with a control character in its name")
  if (BIDI.test(name)) throw unsafe("with a character in its name that changes the direction of text")
  const parts = (name.endsWith("/") ? name.slice(0, -1) : name).split("/")
  if (parts.length > ENTRY_DEPTH_MAX) throw unsafe(`in more than ${ENTRY_DEPTH_MAX} levels of directories`)
  for (const part of parts) checkSegment(part)
  return parts
}

/** Returns what two names share that are the same on some file system. */
export const sameNameKey = (name: string): string =>
  name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
