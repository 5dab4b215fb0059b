/**
 * A trigger over `posts` that forgets the HTML of a text that changes without it. Thus no writer of a text, and no change of
 * a paywall, leaves HTML behind that says what the text no longer says.
 */
export const textTriggers = [
  `create or replace function posts_html() returns trigger language plpgsql as $$
    begin
      new.renderer := null;
      new.public_html := null;
      new.public_headings := null;
      new.public_words := null;
      new.public_images := null;
      new.whole_html := null;
      new.whole_headings := null;
      new.whole_images := null;
      return new;
    end $$`,
  `create or replace trigger posts_html
    before update of free_content_markdown, paid_content_markdown, enable_paywall on posts
    for each row when (
      (new.free_content_markdown, new.paid_content_markdown, new.enable_paywall)
        is distinct from (old.free_content_markdown, old.paid_content_markdown, old.enable_paywall)
      and (new.public_html, new.whole_html) is not distinct from (old.public_html, old.whole_html)
      and old.renderer is not null)
    execute function posts_html()`
]
