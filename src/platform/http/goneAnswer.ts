import { AccountDeleted } from "../../../schemas/platform/errors/common.ts"
import { caching } from "../public-answers/caching.ts"
import { problemAnswer } from "./errorAnswer.ts"

/** Tells people and search engines that a page of a deleted account is gone for good. */
export const goneAnswer = problemAnswer(new AccountDeleted(), {
  "cache-control": caching.vacant,
  "x-robots-tag": "noindex"
})
