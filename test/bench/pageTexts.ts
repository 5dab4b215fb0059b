import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { highlight } from "../../layers/threads/highlighting.ts"
import type { PostId } from "../../schemas/platform/Ids.ts"
import { DAY_MILLIS, later, now } from "../../src/platform/time/now.ts"
import { pageText } from "../../src/publishing/content/html/pageText.ts"
import { publicText } from "../../src/publishing/discovery/summary.ts"
import { PageTextsRepo } from "../../src/reading/pages/PageTextsRepo.ts"

interface Text {
  readonly id: PostId
  readonly attempts: number
  readonly source: string | null
}

/** Stores what the pages of all Posts show, as the service has done soon after each was published. */
export const storePageTexts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { store } = yield* PageTextsRepo
  const dueAt = later(yield* now, DAY_MILLIS)
  const texts = yield* sql<Text>`
    select t.id, t.attempts, ${sql.literal(publicText)} as source from page_texts t join posts p on p.id = t.id`
  yield* Effect.forEach(texts, (text) => store(text, pageText(text.source ?? "", highlight), dueAt), {
    concurrency: 2,
    discard: true
  })
}).pipe(Effect.provide(PageTextsRepo.layer))
