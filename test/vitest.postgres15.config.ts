import { configDefaults, defineConfig } from "vitest/config"
import base, { LONG_FILES } from "./vitest.config.ts"

/**
 * Files that depend on the server, for a run over the oldest one: the pool, and a file or two for each kind of
 * statement. The soak runs every file over it.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      "test/layers/postgres/*.test.ts",
      "test/layers/backup/backup.test.ts",
      "test/tables.test.ts",
      "test/platform/{counters/counters,idempotency/once,work/worker}.test.ts",
      "test/platform/sql/*.test.ts",
      "test/accounts/{administration/rpc,registrations/Registrations,sessions/Refresh}.test.ts",
      "test/publishing/attachments/attaching.test.ts",
      "test/publishing/discovery/{search,summaries}.test.ts",
      "test/publishing/posts/{counters,patch,remove}.test.ts",
      "test/publishing/{storage/AccountStorage,uploads/operation/takeOver,uploads/pipeline/cleanup}.test.ts",
      "test/payments/{access/buying,finance/finance,sessions/opening,settlement/settling}.test.ts",
      "test/engagement/{activity/activity,comments/append,comments/reading,follows/follows}.test.ts",
      "test/engagement/{leaderboards/leaderboards,reactions/reactions}.test.ts",
      "test/engagement/notifications/{feed/feed,mails/summaries,summaries/summaries}.test.ts",
      "test/web/{feeds/feeds,pages/pages}.test.ts"
    ],
    // The soak looks at plans over both servers. What the driver of the pool keeps is the same over each.
    exclude: [...configDefaults.exclude, LONG_FILES, "test/layers/postgres/answeredRows.test.ts"]
  }
})
