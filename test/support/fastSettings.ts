/**
 * Settings of throw-away servers: nothing waits for the disk, and no worker goes through hundreds of databases. Tests that
 * look at plans collect statistics themselves.
 */
export const fastSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off"
}
