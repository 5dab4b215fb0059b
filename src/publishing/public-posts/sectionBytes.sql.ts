// The bytes of the sections of a Post `p`, which PostgreSQL knows without reading them.

/** Bytes that everyone may read. */
export const publicBytes = `
  (coalesce(octet_length(p.free_content_markdown), 0)
    + case when p.enable_paywall then 0 else coalesce(octet_length(p.paid_content_markdown), 0) end)`

/** Bytes of the whole text. */
export const allBytes = `
  (coalesce(octet_length(p.free_content_markdown), 0) + coalesce(octet_length(p.paid_content_markdown), 0))`
