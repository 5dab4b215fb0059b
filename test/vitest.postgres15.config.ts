import { configDefaults, defineConfig } from "vitest/config"
import base, { LONG_FILES } from "./vitest.config.ts"

/** Files that depend on the server, for a run over the oldest one: the pool, and statements of each feature. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      "test/layers/postgres/*.test.ts",
      "test/layers/backup/backup.test.ts",
      "test/tables.test.ts",
      "test/platform/{counters/counters,feed-changes/FeedChanges,idempotency/once,mail/MailWorker,work/worker}.test.ts",
      "test/platform/sql/*.test.ts",
      "test/accounts/{account-email/AccountEmail,administration/rpc,api-keys/ApiKeys,me/Me,owners/mailboxes}.test.ts",
      "test/accounts/{payout-address/PayoutAddresses,profile/Profiles,registrations/Registrations}.test.ts",
      "test/accounts/sessions/{EmailLogin,Refresh,WalletClaim}.test.ts",
      "test/publishing/attachments/{attaching,statements}.test.ts",
      "test/publishing/discovery/{profiles,related,search,summaries}.test.ts",
      "test/publishing/posts/{counters,create,patch,publish,remove,unpublish}.test.ts",
      "test/publishing/{public-images/publicImages,storage/AccountStorage}.test.ts",
      "test/publishing/uploads/{recovery,operation/{places,takeOver},pipeline/cleanup,pipeline/leases,pipeline/sweep}.test.ts",
      "test/payments/{access/buying,finance/finance,gifts/redeeming,purchases/purchases,tips/tipping}.test.ts",
      "test/payments/sessions/{matching,opening}.test.ts",
      "test/payments/settlement/settling.test.ts",
      "test/engagement/{activity/activity,comments/append,comments/reading,follows/follows}.test.ts",
      "test/engagement/{leaderboards/leaderboards,moderation/restricted,reactions/reactions,reports/reports}.test.ts",
      "test/engagement/notifications/{fanout/newPost,feed/feed,mails/summaries,summaries/summaries}.test.ts",
      "test/web/{feeds/feeds,lists/lists,pages/pages}.test.ts"
    ],
    // The soak looks at plans over both servers. What the driver of the pool keeps is the same over each.
    exclude: [...configDefaults.exclude, LONG_FILES, "test/layers/postgres/answeredRows.test.ts"]
  }
})
