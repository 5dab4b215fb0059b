import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { DayStatsList, PostStatsPage } from "../../../schemas/engagement/reads/ReadStats.ts"
import { Reads } from "../../../src/engagement/reads/Reads.ts"
import type { Author } from "../../support/actors/author.ts"
import { TestClient, type TestRequest } from "../../support/TestClient.ts"

export const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
export const GOOGLE = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

/** The day of the tests. */
export const TODAY = "2026-11-29"
export const NOON = Date.UTC(2026, 10, 29, 12)

/** Sets the clock to noon, and gets the key of the day as the worker does. */
export const atNoon = Effect.gen(function* () {
  yield* TestClock.setTime(NOON)
  yield* (yield* Reads).renewKeys
})

/** Reads a path as a person with a browser does. */
export const visit = Effect.fnUntraced(function* (
  path: string,
  { headers, method = "GET", ...request }: TestRequest & { readonly method?: string } = {}
) {
  const client = yield* TestClient
  return yield* client.send(method, path, {
    from: "192.0.2.1",
    ...request,
    headers: { "user-agent": CHROME, ...headers }
  })
})

/** Returns the path of a Post's page. */
export const pageOf = ({ handle }: Author, { slug }: { readonly slug: string }) => `/@${handle}/${slug}`

/** Flushes, and returns the Posts of an author with their reads. */
export const statsOf = Effect.fnUntraced(function* ({ key }: Author, query = "") {
  yield* (yield* Reads).flush
  const client = yield* TestClient
  const answer = yield* client.send("GET", `/api/v1/stats/posts${query}`, { token: key })
  return answer.body as PostStatsPage
})

/** Flushes, and returns the only Post of an author with its reads. */
export const onlyPostOf = Effect.fnUntraced(function* (author: Author) {
  const { data } = yield* statsOf(author)
  return data.length === 1 ? data[0]! : yield* Effect.die(new Error(`${data.length} Posts`))
})

/** Returns the days of a Post. */
export const daysOf = Effect.fnUntraced(function* ({ key }: Author, postId: string, query = "") {
  const client = yield* TestClient
  const answer = yield* client.send("GET", `/api/v1/stats/posts/${postId}/days${query}`, { token: key })
  return (answer.body as DayStatsList).data
})
