/** Settings of throw-away servers: nothing waits for the disk. */
export const fastSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }
