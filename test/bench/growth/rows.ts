import { paragraph, PARAGRAPHS } from "../../support/manyPosts.ts"
import { wordInSql, wordLists } from "../seed/words.ts"
import { type Bulk, chanceOf, idAt } from "./bulk.ts"

/** The numbers of rows to make. */
export interface Sizes {
  readonly posts: number
  readonly authors: number
  readonly comments: number
  /** Another number makes other rows. */
  readonly seed: number
}

/** The moments between which Posts are published. */
const BEGIN = "timestamptz '2021-11-01Z'"
const YEARS = 5
const SECONDS = YEARS * 365 * 86_400

/** Distance between the numbers of those who do the same: a prime, so that none does it twice. */
const STEP = 7_919

/** Each 33rd Post is a draft. */
const IS_DRAFT = "% 33 = 7"
/** Each tenth Post is paid. */
const IS_PAID = "% 10 = 0"
const PRICE = "1e28"
const ADDRESS = "nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3"

/** Comments of one discussion: two threads with their replies, and two Comments without any. */
const DISCUSSION = 8

/**
 * The statements that fill the tables. A few authors have most Posts and followers, and a few Posts most Comments, reactions and
 * sales, as everywhere. Each value depends on the number of its row alone.
 */
export const rowsOf = ({ authors, comments, posts, seed }: Sizes): ReadonlyArray<Bulk> => {
  const chance = chanceOf(seed)
  const ownerMoment = (n: string) => `(${BEGIN} - (${authors} + 1 - ${n}) * interval '20 minutes')`
  const ownerId = (n: string) => idAt(ownerMoment(n), n)
  const postMoment = (n: string) => `(${BEGIN} + ${n} * (interval '${SECONDS} seconds' / ${posts}))`
  const postId = (n: string) => idAt(postMoment(n), n)
  /** The author of a Post, by number. */
  const authorOf = (n: string) => `(1 + floor(${authors} * power(${chance(n, 1)}, 2))::bigint)`
  /** Another owner for each place. */
  const someOwner = (n: string, place: string) => `(1 + (${n} * 31 + ${place} * ${STEP}) % ${authors})`
  /** A number. Most are small, and a few very large. */
  const skewed = (n: string, purpose: number, scale: number, exponent: number) =>
    `least(${authors - 1}, floor(${scale} * power(1 - ${chance(n, purpose)}, -${exponent})))::integer`
  const isAgent = (n: string) => `${n} % 20 = 0`

  const owners = (from: number, to: number) => `
    insert into owners (id, kind, wallet_public_key, name, handle, bio, author_kind, payout_address, payout_revision, created_at)
    select ${ownerId("n")}, 'wallet', sha256(convert_to('wallet' || n, 'UTF8')),
      initcap(${wordInSql("(n % 8000)")} || ' ' || ${wordInSql("(n / 20 % 8000)")}), 'author_' || n, 'Writes about ' || ${wordInSql("(n * 7 % 8000)")},
      case when ${isAgent("n")} then 'agent' else 'human' end, '${ADDRESS}', 1, ${ownerMoment("n")}
    from generate_series(${from}, ${to}) n`

  const follows = (from: number, to: number) => `
    insert into follows (id, follower_id, creator_id, created_at)
    select ${idAt("at", "c::bigint * 1000000 + place")}, ${ownerId("follower")}, ${ownerId("c")}, at
    from generate_series(${from}, ${to}) c,
      lateral generate_series(1, least(${authors - 1}, (${authors} * 0.5 * power(c, -0.9))::integer)) place,
      lateral (select 1 + (c - 1 + place::bigint * ${STEP}) % ${authors} as follower,
        ${BEGIN} + ${chance("c::bigint * 1000000 + place", 2)} * interval '${SECONDS} seconds' as at) f`

  const written = (from: number, to: number) => `
    insert into posts (id, owner_id, status, title, description, free_content_markdown, paid_content_markdown, excerpt,
      paywall_requested, enable_paywall, price_raw, primary_category_id, secondary_category_id, slug, language, comments_enabled,
      creation_method, creation_attested, created_at, updated_at, published_at, first_published_at)
    select ${postId("it")}, ${ownerId(authorOf("it"))}, case when is_public then 'published' else 'draft' end,
      left(one.text, 60) || ' ' || it, left(two.text, 140), concat_ws(E'.\\n\\n', two.text, three.text),
      case when is_paid then four.text end, left(two.text, 200), is_paid, is_paid,
      case when is_paid then ${PRICE}::numeric * (1 + it % 50) end, category,
      case when it % 3 = 0 and category <> 1 then 1 end, 'post-' || it,
      case when it % 20 = 0 then 'zh-Hans' when it % 100 < 8 then 'de' when it % 100 = 33 then 'ja'
        when it % 100 = 51 then 'pt-BR' when it % 10000 = 52 then 'eo' else 'en' end,
      it % 50 <> 0, case when it % 7 = 0 then 'ai_assisted_editing' else 'human_written' end, true, at, at,
      case when is_public then at end, case when is_public then at end
    from generate_series(${from}, ${to}) it
    cross join lateral (select not it ${IS_DRAFT} as is_public, it ${IS_PAID} as is_paid, ${postMoment("it")} as at,
      1 + floor(30 * power(${chance("it", 3)}, 1.5))::integer as category) facts
    ${paragraph("one", 31)} ${paragraph("two", 7)} ${paragraph("three", 13)} ${paragraph("four", 17)}`

  const authorKinds = (from: number, to: number) => `
    insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
    select ${postId("n")}, ${ownerId("author")}, case when ${isAgent("author")} then 'agent' else 'human' end, ${postMoment("n")}
    from generate_series(${from}, ${to}) n, lateral (select ${authorOf("n")} as author) a where not n ${IS_DRAFT}`

  const reactions = (from: number, to: number) => `
    insert into reactions (post_id, owner_id, reaction, created_at, changed_at)
    select ${postId("n")}, ${ownerId(someOwner("n::bigint", "place"))},
      (array['heart', 'heart', 'thumbs_up', 'fire', 'clap'])[1 + (n + place) % 5], at, at
    from generate_series(${from}, ${to}) n,
      lateral generate_series(1, ${skewed("n", 4, 0.8, 0.6)}) place,
      lateral (select ${postMoment("n")} + place * interval '5 minutes' as at) moment
    where not n ${IS_DRAFT}`

  // A Post with drafts as neighbours is never a draft itself.
  const discussed = (block: string) =>
    `(select case when n > 1 and n ${IS_DRAFT} then n - 1 else n end
      from (select greatest(1, ${posts} - floor(${posts} * power(${chance(block, 5)}, 2))::integer) as n) drawn)`
  const commentMoment = (post: string, n: string, place: string) =>
    `(${postMoment(post)} + (${n} / ${DISCUSSION} % 1000 + 1) * interval '3 minutes' + ${place} * interval '10 seconds')`
  const commentId = (place: string) =>
    idAt(commentMoment("post", "n", place), `n - n % ${DISCUSSION} + ${place}`)
  const commentAuthor = (n: string) => `(1 + floor(${authors} * power(${chance(n, 6)}, 1.5))::bigint)`
  /** The place in the discussion of the Comment that one replies to: -1 for none. */
  const parents = "array[-1, 0, 1, 0, -1, 4, -1, -1]"
  const depths = "array[0, 1, 2, 1, 0, 1, 0, 0]"
  const roots = "array[0, 0, 0, 0, 4, 4, 6, 7]"
  const replies = "array[2, 1, 0, 0, 1, 0, 0, 0]"
  const comment = (from: number, to: number) => `
    from generate_series(${from} - 1, ${to} - 1) n,
      lateral (select ${discussed(`n / ${DISCUSSION}`)} as post, (n % ${DISCUSSION})::integer as place) found,
      lateral (select (${parents})[place + 1] as parent, (${depths})[place + 1] as depth, (${roots})[place + 1] as root,
        ${commentAuthor("n")} as author, ${commentMoment("post", "n", "place")} as at) facts`
  const reactedTo = "n % 10 = 3"
  const replied = (from: number, to: number) => `
    insert into comments (id, post_id, author_id, content, parent_comment_id, reply_target_comment_id, thread_root_id, depth,
      created_at, idempotency_key, intent, by_agent, reply_count, heart)
    select ${commentId("place")}, ${postId("post")}, ${ownerId("author")}, left(p.text, 60 + n % 200),
      case when parent >= 0 then ${commentId("parent")} end, case when parent >= 0 then ${commentId("parent")} end,
      ${commentId("root")}, depth, at, 'seed-' || n, '', ${isAgent("author")}, (${replies})[place + 1],
      case when ${reactedTo} then 1 else 0 end
    ${comment(from, to)} cross join lateral (select text from paragraphs where paragraphs.n = 1 + author % ${PARAGRAPHS}) p`
  const commentReactions = (from: number, to: number) => `
    insert into reactions (comment_id, owner_id, reaction, created_at, changed_at)
    select ${commentId("place")}, ${ownerId(`(1 + author % ${authors})`)}, 'heart', at, at
    ${comment(from, to)} where ${reactedTo}`
  // The author of a Post hears of each fifth Comment: older notifications are deleted.
  const notifications = (from: number, to: number) => `
    insert into notifications (recipient_id, id, type, created_at, read_at, actor_id, post_id, comment_id)
    select ${ownerId("recipient")}, ${idAt("at", "n")}, 'new_comment', at, case when n % 3 > 0 then at end, ${ownerId("author")},
      ${postId("post")}, ${commentId("place")}
    ${comment(from, to)}, lateral (select ${authorOf("post")} as recipient) r where n % 5 = 0`

  const sale = "n::bigint * 1000000 + place"
  const sales = (from: number, to: number) => `
    with sold as materialized (
      select ${idAt("at", sale)} as id, ${sale} as number, ${postId("n")} as post_id, ${ownerId(authorOf("n"))} as recipient_id,
        ${ownerId("buyer")} as buyer_id, sha256(convert_to('wallet' || buyer, 'UTF8')) as payer_key,
        ${PRICE}::numeric * (1 + n % 50) as amount_raw, at
      from generate_series(${from}, ${to}) n,
        lateral generate_series(1, ${skewed("n", 7, 3, 0.5)}) place,
        lateral (select ${someOwner("n::bigint", "place")} as buyer,
          ${postMoment("n")} + ${chance(sale, 8)} * (${BEGIN} + interval '${SECONDS} seconds' - ${postMoment("n")}) as at) facts
      where n ${IS_PAID} and not n ${IS_DRAFT}),
    settled as (
      insert into settlements (id, kind, channel, state, post_id, recipient_id, block_hash, previous, payer_key, pay_to_key,
        pay_to_role, payout_revision, buyer_id, identity, amount_raw, base_raw, created_at, settled_at)
      select id, 'purchase', 'x402', 'settled', post_id, recipient_id, sha256(convert_to('block' || number, 'UTF8')),
        sha256(convert_to('previous' || number, 'UTF8')), payer_key, sha256('payee'), 'author', 1, buyer_id, uuid_send(buyer_id),
        amount_raw, amount_raw, at, at from sold),
    allocated as (
      insert into allocations (id, settlement_id, role, owner_id, amount_raw, address, payout_revision, state, created_at)
      select id, id, 'author', recipient_id, amount_raw, '${ADDRESS}', 1, 'settled', at from sold)
    insert into purchases (id, settlement_id, post_id, buyer_id, payer_key, amount_raw, created_at)
    select id, id, post_id, buyer_id, payer_key, amount_raw, at from sold`

  return [
    { table: "owners", count: authors, part: 10_000, statement: owners, parameters: wordLists },
    { table: "posts", count: posts, part: 5_000, weight: 20, statement: written },
    { table: "post_author_kinds", count: posts, part: 50_000, statement: authorKinds },
    { table: "follows", count: authors, part: 5_000, statement: follows },
    { table: "comments", count: comments, part: 50_000, statement: replied },
    { table: "reactions", count: posts, part: 50_000, statement: reactions },
    { table: "reactions", count: comments, part: 200_000, statement: commentReactions },
    { table: "notifications", count: comments, part: 200_000, statement: notifications },
    { table: "purchases", count: posts, part: 50_000, statement: sales }
  ]
}

/** The counters of these rows. */
export const counters: ReadonlyArray<string> = [
  `insert into post_counts (post_id, comments, thumbs_up, heart, fire, clap, purchases)
   select k.post_id, coalesce(c.comments, 0), coalesce(r.thumbs_up, 0), coalesce(r.heart, 0), coalesce(r.fire, 0),
     coalesce(r.clap, 0), coalesce(s.purchases, 0)
   from post_author_kinds k
   left join (select post_id, count(*) as comments from comments group by 1) c using (post_id)
   left join (select post_id, count(*) filter (where reaction = 'thumbs_up') as thumbs_up,
     count(*) filter (where reaction = 'heart') as heart, count(*) filter (where reaction = 'fire') as fire,
     count(*) filter (where reaction = 'clap') as clap from reactions where post_id is not null group by 1) r using (post_id)
   left join (select post_id, count(*) as purchases from purchases group by 1) s using (post_id)`,
  `update owners set published_post_count = coalesce(posts, 0), follower_count = coalesce(followers, 0),
     following_count = coalesce(followed, 0)
   from owners o
   left join (select owner_id as id, count(*) as posts from post_author_kinds group by 1) p using (id)
   left join (select creator_id as id, count(*) as followers from follows group by 1) f using (id)
   left join (select follower_id as id, count(*) as followed from follows group by 1) g using (id)
   where o.id = owners.id`,
  `update published_post_counts set posts = (select count(*) from post_author_kinds),
     for_sale = (select count(*) from posts where status = 'published' and enable_paywall),
     by_category = array(
       select count(p.id)::integer from categories c
       left join posts p on c.id in (primary_category_id, secondary_category_id) and status = 'published'
       group by c.id order by c.id)
   where part = 0`,
  `insert into earnings_daily (owner_id, day, shard, sales, sales_raw)
   select recipient_id, (settled_at at time zone 'UTC')::date, get_byte(uuid_send(id), 15) % 16, count(*), sum(amount_raw)
   from settlements group by 1, 2, 3`,
  `insert into support_daily (owner_id, day, sales, sales_raw)
   select buyer_id, (settled_at at time zone 'UTC')::date, count(*), sum(amount_raw) from settlements group by 1, 2`
]
