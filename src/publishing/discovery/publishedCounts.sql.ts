/** The number of all published Posts. Its parts are few, so it never reads the Posts. */
export const publishedPosts = `(select coalesce(sum(posts), 0) from published_post_counts)`

/** The number of published Posts in the category `c`. */
export const categoryPosts = `(select coalesce(sum(by_category[c.id]), 0) from published_post_counts)`
