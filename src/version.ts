/** The version of the package; the HTTP contract is versioned by itself, in its OpenAPI document. */
export const VERSION = "0.1.0"
