/**
 * The reason to refuse an archive. `unsupported_type`: it is no ZIP of one part that begins with its first file. `ambiguous`:
 * two programs could read it differently, or it is damaged. `encrypted`, `unsupported_method`, `unsafe_name`, `not_regular`
 * and `duplicate_name` are about an entry. The others are limits, by what its directory declares.
 */
export type ArchiveRefusalCode =
  | "unsupported_type"
  | "ambiguous"
  | "encrypted"
  | "unsupported_method"
  | "unsafe_name"
  | "not_regular"
  | "duplicate_name"
  | "no_files"
  | "too_many_files"
  | "too_many_directories"
  | "too_large_unpacked"
  | "ratio"

/** The refusal of an archive, with a sentence for people that repeats nothing of the archive. */
export interface ArchiveRefusal {
  readonly code: ArchiveRefusalCode
  readonly message: string
}

/** An archive is refused. Thrown inside of this folder, and returned by it. */
export class Refused extends Error {
  readonly refusal: ArchiveRefusal
  constructor(code: ArchiveRefusalCode, message: string) {
    super(message)
    this.refusal = { code, message }
  }
}

/** Advice for an archive of a program that writes archives in a way of its own. */
export const PACK_AGAIN = "Pack the files again with another program, such as 7-Zip."

/** Returns the refusal of an archive that programs read differently, or that is damaged. */
export const ambiguous = (what: string): Refused => new Refused("ambiguous", `${what} ${PACK_AGAIN}`)

/** Returns the refusal of an archive that says a fact twice and differently, because programs believe one or the other. */
export const contradicted = (fact: string, places: string): Refused =>
  ambiguous(`The archive has ${fact} twice, ${places}, and they differ.`)
