import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Option, References } from "effect"
import { LOCAL_ORIGIN, readEnvironment } from "../../../layers/config/environment.ts"
import * as Database from "../../../layers/postgres/Database.ts"
import { EmbeddedPostgres } from "../../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { endOfProgress } from "./bulk.ts"
import { isEmpty, seedGrowth } from "./seed.ts"

const HELP = `Fills an empty database with posts, authors, comments, reactions, follows and sales, the same for the same seed.

  npm run seed -- --posts 1000000 [--authors 100000] [--comments 10000000] [--seed 1]

It fills the database of DATABASE_URL, or the embedded one of PENNYPRESS_DATA while the service does not run. With a
PUBLIC_BASE_URL that others reach, say --yes twice.`

const HOUR = 3_600_000
const MOST = 100_000_000

const { values } = parseArgs({
  options: {
    posts: { type: "string", default: "10000" },
    authors: { type: "string" },
    comments: { type: "string" },
    seed: { type: "string", default: "1" },
    yes: { type: "boolean", multiple: true, default: [] },
    help: { type: "boolean", default: false }
  }
})

const refused = (message: string) => Effect.fail({ _tag: "Refused" as const, message })

const whole = (name: string, text: string, least: number) => {
  const number = Number(text)
  return Number.isInteger(number) && number >= least && number <= MOST
    ? Effect.succeed(number)
    : refused(`--${name} is a whole number from ${least} to ${MOST.toLocaleString("en")}.`)
}

const program = Effect.gen(function* () {
  if (values.help) return yield* Console.log(HELP)
  const posts = yield* whole("posts", values.posts, 100)
  const authors = yield* whole("authors", values.authors ?? String(Math.max(100, Math.ceil(posts / 10))), 100)
  const comments = yield* whole("comments", values.comments ?? String(posts * 10), 0)
  const seed = yield* whole("seed", values.seed, 1)
  const environment = yield* readEnvironment
  const { DATABASE_URL, PENNYPRESS_DATA, PUBLIC_BASE_URL } = environment
  if (!LOCAL_ORIGIN.test(PUBLIC_BASE_URL) && values.yes.length < 2)
    return yield* refused(
      `${PUBLIC_BASE_URL} is a site that others read. Invented posts belong on none: say --yes --yes if you mean it.`
    )
  const options = { statementTimeoutMillis: 0, deadlineMillis: 10 * HOUR }
  const database = Option.match(DATABASE_URL, {
    onSome: (url) => Database.layer({ ...options, url }),
    onNone: () =>
      Database.layerEmbedded(options).pipe(
        Layer.provide(EmbeddedPostgres.layer({ dataDirectory: PENNYPRESS_DATA }))
      )
  })
  const began = performance.now()
  const fillEmpty = Effect.gen(function* () {
    if (!(yield* isEmpty))
      return yield* refused("The database has accounts. Name an empty one in DATABASE_URL.")
    yield* Effect.ensuring(seedGrowth({ posts, authors, comments, seed }), endOfProgress)
  })
  yield* Effect.scoped(Effect.provide(fillEmpty, database))
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  yield* Console.log(
    `${posts.toLocaleString("en")} posts, ${authors.toLocaleString("en")} authors and ${comments.toLocaleString("en")} comments in ${minutes} minutes`
  )
}).pipe(
  Effect.catchTag(["Refused", "ConfigurationInvalid", "DataDirectoryInUse"], ({ message }) =>
    Effect.andThen(
      Console.error(`seed: ${message}`),
      Effect.sync(() => void (process.exitCode = 1))
    )
  )
)

program.pipe(
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")]),
  NodeRuntime.runMain
)
