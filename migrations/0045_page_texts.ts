import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The parts of the pages of Posts that take long to make: the public text as HTML, with the version of the code that rendered
 * it, and the choice of related Posts. They are beside the Posts, so that they write no Post anew, with the index of its words.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A row stays as long as its Post: the number of attempts fences a worker that read an earlier text.
  yield* sql`
    create table page_texts (
      id uuid primary key references posts (id) on delete cascade,
      version integer,
      html text,
      words integer,
      related uuid[],
      due_at timestamptz,
      attempts integer not null default 0,
      check (num_nulls(version, html, words, related) in (0, 4))
    )
  `
  yield* sql`create index page_texts_due_at on page_texts (due_at) where due_at is not null`

  // By triggers, because the release before changes Posts, too. The HTML of an earlier text ends with the change itself:
  // no reader can get words that the author has taken back or sells now.
  yield* sql`
    create function page_texts_end() returns trigger language plpgsql as $$
    begin
      insert into page_texts as ended (id, due_at)
      values (new.id, case when new.status = 'published' then new.updated_at end)
      on conflict (id) do update set
        version = null, html = null, words = null, related = null,
        due_at = excluded.due_at, attempts = ended.attempts + 1;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger page_texts_begin after insert on posts
    for each row when (new.status = 'published') execute function page_texts_end()`.unprepared
  yield* sql`
    create trigger page_texts_end
    after update of status, free_content_markdown, paid_content_markdown, enable_paywall on posts
    for each row when (old.status = 'published' or new.status = 'published')
    execute function page_texts_end()`.unprepared
  // Last, under the lock that the triggers took: no Post becomes public between the two.
  yield* sql`insert into page_texts (id, due_at) select id, updated_at from posts where status = 'published'`
})
