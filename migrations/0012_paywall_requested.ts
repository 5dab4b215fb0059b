import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The author's last word about the paywall, paywalls over paid sections that lost their only image,
 * and first images that can be OG images. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `enable_paywall` says whether the paywall is effective. Text that an author writes into the paid
  // section later goes behind a paywall again when the author asked for one and never said otherwise.
  // A version that does not know the column leaves it false, so readers take either as a request.
  yield* sql`alter table posts add column paywall_requested boolean not null default false`

  // Removing a rejected image may empty the paid section of a public Post. Its paywall and price stay.
  yield* sql`
    do $$
    declare found text;
    begin
      select conname into strict found from pg_constraint
      where conrelid = 'posts'::regclass and contype = 'c'
        and pg_get_constraintdef(oid) like '%NOT enable_paywall%paid_content_markdown IS NOT NULL%';
      execute format('alter table posts drop constraint %I', found);
    end $$
  `.unprepared

  // The first image of a section is shown as the OG image, so it must be a URL that `ogImage` could be.
  yield* sql`update posts set first_image = null where first_image !~* '^https?://[^/?#@[:space:]]+([/?#][^[:space:]]*)?$'`
})
