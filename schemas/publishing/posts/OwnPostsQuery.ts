import { Schema } from "effect"
import { queryBoolean } from "../../platform/queryBoolean.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { PostStatus } from "./Post.ts"

/** Filter and page of own Posts. */
export const OwnPostsQuery = Schema.Struct({
  status: Schema.optionalKey(PostStatus),
  scheduled: Schema.optionalKey(queryBoolean({ default: false })),
  page: Schema.optionalKey(queryInteger({ minimum: 1, maximum: 100_000, default: 1 })),
  per_page: Schema.optionalKey(queryInteger({ minimum: 1, maximum: 50, default: 20 }))
})
