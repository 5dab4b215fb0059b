import type { CountedRows } from "../../platform/counters/audit.sql.ts"

/** The follows behind each counter. */
export const followRows: CountedRows = {
  owner_followers: "select count(*) from follows where creator_id = s.id and ended_at is null",
  owner_following: "select count(*) from follows where follower_id = s.id and ended_at is null"
}
