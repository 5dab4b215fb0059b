import { Effect, Option, Result } from "effect"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { PostPatch } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import type { PostRow } from "../../posts/postRow.ts"
import { Publishing } from "../../posts/Publishing.ts"
import type { ImportRow, PublishChoices } from "../rows/importRow.ts"
import type { LeftDraft, WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { makeIsAsLeft, makeLeftDraft } from "../rows/leftDraft.ts"
import { metaLine, withLines } from "../rows/reportLines.ts"
import { makeHold } from "./staying.ts"

/** The line of an earlier attempt, which another one replaces. */
const ATTEMPT_CODES: ReadonlySet<string> = new Set(["publication_incomplete"])

/** Makes the step that publishes the draft of an item, with the checks of publishing. */
export const makePublishItem = Effect.gen(function* () {
  const items = yield* itemStatements
  const importedPosts = yield* ImportedPosts
  const publishing = yield* Publishing
  const transactions = yield* Transactions
  const hold = yield* makeHold
  const isAsLeft = yield* makeIsAsLeft
  const leftDraft = yield* makeLeftDraft

  /** Writes what a draft lacks. A draft that its author has not changed stays so. Returns the draft as the import left it. */
  const fill = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    post: PostRow,
    patch: PostPatch
  ) {
    let left: LeftDraft = item
    const isUntouched = yield* isAsLeft(row.owner_id, item, post)
    yield* importedPosts.update(publisher, post.id, patch, post.updated_at, {
      before: hold(row, 0),
      after: Effect.fnUntraced(function* (written) {
        if (!isUntouched) return
        left = yield* leftDraft(written)
        yield* items.follow(item.id, left)
      })
    })
    return left
  })

  /** Publishes a draft. Returns it as the import left it, and why the Post is not public. */
  const attempt = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    choices: PublishChoices
  ) {
    const { post_id: id } = item
    let left: LeftDraft = item
    const found = id === null ? Option.none() : yield* importedPosts.find(row.owner_id, id)
    if (id === null || Option.isNone(found)) return { left, problems: ["The post was deleted."] }
    const post = found.value
    if (post.status === "published") return { left: { ...left, revision: post.updated_at }, problems: [] }
    const patch = fillingOf(post, choices)
    if (Object.keys(patch).length > 0) {
      const filled = yield* Effect.result(fill(publisher, row, item, post, patch))
      if (Result.isFailure(filled) && filled.failure._tag === "LeaseLost") return yield* filled.failure
      if (Result.isFailure(filled)) return { left, problems: sentencesOf(filled.failure) }
      left = filled.success
    }
    // None is published that a cancel came before.
    yield* transactions.run(hold(row, 0))
    // A repeat after a crash is the same request.
    const key = `import-${item.id}-${row.began_at.getTime()}`
    const published = yield* Effect.result(publishing.publish(publisher, id, key))
    if (Result.isFailure(published)) return { left, problems: sentencesOf(published.failure) }
    const current = yield* importedPosts.find(row.owner_id, id)
    const { updated_at: revision } = Option.getOrElse(current, () => post)
    return { left: { ...left, revision }, problems: [] }
  })

  return Effect.fn("Imports.publishItem")(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    choices: PublishChoices
  ) {
    const { left, problems } = yield* attempt(publisher, row, item, choices)
    const lines =
      problems.length === 0 ? [] : [metaLine("stop", "publication_incomplete", problems.join(" "))]
    yield* transactions.run(
      Effect.gen(function* () {
        yield* hold(row, 1)
        yield* items.settle(item.id, {
          outcome: item.outcome,
          task: null,
          slug: item.slug,
          pictures: item.pictures,
          report: withLines(item.report, lines, ATTEMPT_CODES),
          postId: item.post_id,
          left
        })
      })
    )
  })
})

const sentencesOf = (error: {
  readonly message: string
  readonly errors?: ReadonlyArray<{ readonly message: string }>
}): ReadonlyArray<string> =>
  error.errors === undefined || error.errors.length === 0
    ? [error.message]
    : error.errors.map(({ message }) => (/[.!?]$/.test(message) ? message : `${message}.`))

/** Returns the members that a draft lacks and its author gave. */
const fillingOf = (post: PostRow, choices: PublishChoices): PostPatch => ({
  ...(post.creation_method === null ? { creationMethod: choices.creationMethod } : {}),
  ...(post.creation_details === null && choices.creationDetails !== undefined
    ? { creationDetails: choices.creationDetails }
    : {}),
  ...(post.creation_attested ? {} : { creationAttested: true }),
  ...(post.primary_category_id === null && choices.primaryCategoryId !== undefined
    ? { primaryCategoryId: choices.primaryCategoryId }
    : {}),
  ...(post.enable_paywall && post.price_raw === null && choices.priceXno !== undefined
    ? { priceXno: choices.priceXno }
    : {})
})
