import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"

const names: readonly [string, ...ReadonlyArray<string>] = [
  "Artificial Intelligence",
  "Art & Illustration",
  "Books & Literature",
  "Business",
  "Climate & Environment",
  "Comics",
  "Crypto & Nano",
  "Culture",
  "Design",
  "Economics",
  "Education",
  "Fiction",
  "Film & Television",
  "Finance",
  "Food & Drink",
  "Games",
  "Health",
  "History",
  "Humour",
  "Law",
  "Mathematics",
  "Music",
  "News & Politics",
  "Philosophy",
  "Poetry",
  "Programming",
  "Science",
  "Sport",
  "Technology",
  "Travel"
]

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/** The categories, with ids 1 to 30, and how many published Posts each has. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table categories (
      id integer primary key,
      name text not null unique,
      slug text not null unique,
      primary_post_count integer not null default 0,
      secondary_post_count integer not null default 0
    )
  `
  yield* sql`insert into categories ${sql.insert(
    Arr.map(names, (name, index) => ({ id: index + 1, name, slug: slugOf(name) }))
  )}`
})
