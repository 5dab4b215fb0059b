/** For servers that no one needs after the test: nothing waits for the disk. */
export const fastSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }
