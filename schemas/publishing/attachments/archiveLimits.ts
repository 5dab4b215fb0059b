import {
  ARCHIVE_BYTES_MAX,
  ARCHIVE_DIRECTORIES_MAX,
  ARCHIVE_FILES_MAX,
  ARCHIVE_RECORDS_MAX,
  ATTACHMENT_NAME_LENGTH_MAX,
  COMPRESSION_RATIO_MAX,
  ENTRY_DEPTH_MAX,
  ENTRY_NAME_BYTES_MAX,
  POST_ATTACHMENTS_BYTES_MAX,
  POST_ATTACHMENTS_MAX,
  STAGED_ATTACHMENT_BYTES_MAX,
  UNFINISHED_ATTACHMENTS_MAX,
  UNPACKED_BYTES_FREE,
  UNPACKED_BYTES_MAX
} from "../uploads/limits.ts"

const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`

/** States the limits of a ZIP, for the description of its upload. */
export const archiveLimits = [
  `A ZIP has at most ${mebibytes(ARCHIVE_BYTES_MAX)}.`,
  `A Post has at most ${POST_ATTACHMENTS_MAX} ZIPs with ${mebibytes(POST_ATTACHMENTS_BYTES_MAX)} in total.`,
  `A Profile has at most ${UNFINISHED_ATTACHMENTS_MAX} unfinished ZIPs with ${mebibytes(STAGED_ATTACHMENT_BYTES_MAX)} in total.`,
  `Its name has at most ${ATTACHMENT_NAME_LENGTH_MAX} characters, ends in \`.zip\` in any case, and is unique on the Post.`,
  `It unpacks to at most ${mebibytes(UNPACKED_BYTES_MAX)} and, above ${mebibytes(UNPACKED_BYTES_FREE)}, to at most ${COMPRESSION_RATIO_MAX} times its size.`,
  `It has at most ${ARCHIVE_FILES_MAX} files and ${ARCHIVE_DIRECTORIES_MAX} directories, in at most ${ARCHIVE_RECORDS_MAX} entries. Directories that only names imply count, too.`,
  `Names in it have at most ${ENTRY_NAME_BYTES_MAX} bytes and ${ENTRY_DEPTH_MAX} levels.`
].join(" ")
