/** Items that one request names, and that one `apply` takes, at most. */
export const IMPORT_ITEMS_APPLIED_MAX = 10_000
/** Items of a page, at most and by default. */
export const IMPORT_ITEMS_MAX = 100
export const IMPORT_ITEMS_DEFAULT = 50
/** Imports of a page, at most and by default. */
export const IMPORTS_MAX = 100
export const IMPORTS_DEFAULT = 20
/** Characters of the name of a file, at most. */
export const IMPORT_FILE_NAME_MAX = 255
/** Bytes of a file that an operator may allow, at most. The setting `IMPORT_FILE_MB` is lower by default. */
export const IMPORT_FILE_BYTES_MAX = 2048 * 1024 * 1024
/** Lines of the report of one item, and of all items of an import, at most. */
export const REPORT_LINES_MAX = 200
export const IMPORT_REPORT_LINES_MAX = 20_000
/** Characters of the excerpt of a line of a report, at most. */
export const REPORT_EXCERPT_MAX = 120
/** Hosts of pictures that an import names, at most: those of most pictures. */
export const IMAGE_HOSTS_MAX = 20
