/**
 * The fate of a column that names an owner, once the account is deleted.
 *
 * - `row`: the row goes.
 * - `empty`: the row stays, and the column no longer names the owner.
 * - `tombstone`: the column names the row that stays of the owner, which tells nothing of a person.
 * - `passing`: the row goes by itself within days.
 */
export type Fate = "row" | "empty" | "tombstone" | "passing"

/**
 * The columns that name an owner, by table, with their fates. A test reads the columns of the database, and fails on one that
 * is missing here.
 */
export const ownerColumns: Readonly<Record<string, Fate>> = {
  "owners.id": "tombstone",
  "account_deletions.id": "tombstone",
  "account_restrictions.id": "row",
  "administrator_actions.actor_id": "tombstone",
  "administrator_actions.subject_id": "tombstone",
  "allocations.owner_id": "tombstone",
  "api_keys.owner_id": "row",
  "comments.author_id": "tombstone",
  "counter_changes.subject_id": "passing",
  "earnings_daily.owner_id": "tombstone",
  "email_changes.owner_id": "row",
  "email_confirmations.owner_id": "row",
  "event_listeners.owner_id": "row",
  "events.owner_id": "row",
  // The follower of an event of someone else.
  "events.subject_id": "passing",
  "fee_accounts.owner_id": "tombstone",
  "following_feeds.owner_id": "row",
  "former_subscribers.author_id": "row",
  "follows.creator_id": "row",
  "follows.follower_id": "row",
  "former_handles.owner_id": "row",
  // A gift that was redeemed stays for its reader.
  "gift_redemptions.reader_id": "tombstone",
  "gifts.owner_id": "tombstone",
  "idempotency_records.scope_id": "row",
  "import_sources.owner_id": "row",
  "imports.owner_id": "row",
  "leaderboard_rows.owner_id": "row",
  "mailings.owner_id": "row",
  "moderators.owner_id": "row",
  "notification_fanouts.actor_id": "row",
  "notification_fanouts.reply_target_author_id": "row",
  "notification_mails.actor_id": "row",
  "notification_mails.recipient_id": "row",
  "notification_preferences.owner_id": "row",
  "notification_summaries.owner_id": "row",
  "notifications.actor_id": "empty",
  "notifications.follower_id": "empty",
  "notifications.recipient_id": "row",
  "obligations.owner_id": "tombstone",
  "payment_sessions.buyer_id": "tombstone",
  "payment_sessions.recipient_id": "tombstone",
  "payout_addresses_past.owner_id": "row",
  // Files of Posts that were sold stay for their buyers.
  "post_attachments.owner_id": "tombstone",
  "post_author_kinds.owner_id": "row",
  "post_earnings.owner_id": "tombstone",
  "post_mutes.owner_id": "row",
  "post_read_totals.owner_id": "row",
  "post_reads.owner_id": "row",
  // Posts with payments stay, without their texts.
  "posts.owner_id": "tombstone",
  "purchases.buyer_id": "tombstone",
  "reactions.owner_id": "row",
  "reactions.target_id": "row",
  "refunds.owner_id": "tombstone",
  "registrations.owner_id": "row",
  "reports.author_id": "tombstone",
  "reports.claimed_by_id": "tombstone",
  "reports.reporter_id": "empty",
  "reports.resolved_by_id": "tombstone",
  "reports.target_id": "tombstone",
  "scheduled_publications.owner_id": "row",
  "sessions.owner_id": "row",
  "settlements.buyer_id": "tombstone",
  "settlements.recipient_id": "tombstone",
  "settlements.target_id": "tombstone",
  "subscriber_imports.owner_id": "row",
  "subscribers.author_id": "row",
  "support_daily.owner_id": "tombstone",
  "tips.buyer_id": "tombstone",
  "tips.recipient_id": "tombstone",
  "upload_operations.owner_id": "tombstone",
  "upload_operations.target_id": "row",
  "upload_transfers.owner_id": "row",
  "wallet_challenges.owner_id": "row",
  "webhooks.owner_id": "row"
}

/** Columns of ids that never name an owner. */
export const otherIds: ReadonlySet<string> = new Set([
  "api_key_id",
  "after_id",
  "ask_id",
  "body_id",
  "change_id",
  "comment_id",
  "event_id",
  "gift_id",
  "id",
  "import_id",
  "merged_into",
  "operation_id",
  "parent_comment_id",
  "pinned_post_id",
  "position",
  "post_id",
  "purchase_id",
  "reader_id",
  "redemption_id",
  "reply_target_comment_id",
  "resource_id",
  "session_id",
  "settlement_id",
  "thread_root_id",
  "webhook_id"
])
