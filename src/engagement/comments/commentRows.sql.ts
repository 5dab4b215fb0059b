import type { CountedRows } from "../../platform/counters/audit.sql.ts"

/** The Comments behind each counter: those that are visible and not deleted. */
export const commentRows: CountedRows = {
  post_comments:
    "select count(*) from comments where post_id = s.post_id and hidden_at is null and deleted_at is null",
  comment_replies:
    "select count(*) from comments where parent_comment_id = s.id and hidden_at is null and deleted_at is null"
}
