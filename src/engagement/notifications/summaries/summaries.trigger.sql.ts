/** Triggers that note the days on which a follow, a Comment or a reaction happened to an owner. */
export const summaryTriggers = [
  // Days end at 07:00 UTC. What happened before has committed five minutes later: no request takes that long.
  `create or replace function summary_due(owner uuid, happened_at timestamptz) returns void language plpgsql as $$
    declare
      ends timestamptz := date_bin('24 hours', happened_at, timestamptz '1900-01-01 07:00:00Z') + interval '24 hours';
    begin
      insert into notification_summaries (owner_id, ends_at, due_at)
      select owner, ends, ends + interval '5 minutes'
      where not exists (select from notification_summaries where owner_id = owner and ends_at = ends);
    end $$`,

  `create or replace function follows_summary() returns trigger language plpgsql as $$
    begin
      perform summary_due(new.creator_id, new.announced_at);
      return null;
    end $$`,
  `create or replace trigger follows_summary after insert or update of announced_at on follows
    for each row when (new.announced_at is not null) execute function follows_summary()`,

  `create or replace function comments_summary() returns trigger language plpgsql as $$
    begin
      perform summary_due(owner_id, new.created_at) from posts where id = new.post_id and owner_id <> new.author_id;
      return null;
    end $$`,
  `create or replace trigger comments_summary after insert on comments
    for each row execute function comments_summary()`,

  `create or replace function reactions_summary() returns trigger language plpgsql as $$
    begin
      if new.comment_id is null then
        perform summary_due(owner_id, new.created_at) from posts where id = new.post_id;
      else
        perform summary_due(author_id, new.created_at) from comments where id = new.comment_id;
      end if;
      return null;
    end $$`,
  `create or replace trigger reactions_summary after insert on reactions
    for each row execute function reactions_summary()`
]
