/** Meanings of the errors of files to an operator, by their code. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this account may not do that",
  EBUSY: "it is in use",
  EDQUOT: "this account has used up its share of the disk",
  EFBIG: "the file would be larger than this account, or the disk, allows",
  EIO: "the disk failed",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  EMFILE: "this process has too many open files",
  ENAMETOOLONG: "the path is too long",
  ENFILE: "the machine has too many open files",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  EPERM: "this account may not do that",
  EROFS: "the disk is read-only",
  ESTALE: "the network drive lost it",
  EXDEV: "it is on another disk"
}

interface Caused {
  readonly code?: unknown
  readonly cause?: unknown
}

/**
 * Returns why the system refused to use a file, such as `the disk is full (ENOSPC)`. Looks through the errors around the
 * system's own. Returns undefined for any other error.
 */
export const systemReason = (error: unknown): string | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  const { cause, code }: Caused = error
  const reason = typeof code === "string" && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined
  return reason === undefined ? systemReason(cause) : `${reason} (${String(code)})`
}
