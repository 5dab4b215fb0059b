/**
 * Counts of published Posts: the sum of their parts and of the counts in `categories`, which come from releases without
 * parts. The parts are few, so a count never reads the Posts.
 */

/** The number of all published Posts. */
export const publishedPosts = `(
  (select coalesce(sum(primary_post_count), 0) from categories)
  + (select coalesce(sum(posts), 0) from published_post_counts))`

/** The number of published Posts in the category `c`. */
export const categoryPosts = `
  c.primary_post_count + c.secondary_post_count
  + (select coalesce(sum(by_category[c.id]), 0) from published_post_counts)`
