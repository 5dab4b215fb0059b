import { Config, Schema } from "effect"
import { variable } from "./variable.ts"

/** Signals as https://contentsignals.org writes them, or `none`. */
const Signals = Schema.String.check(
  Schema.isPattern(/^(none|[a-z-]+=(yes|no)(, ?[a-z-]+=(yes|no))*)$/, {
    expected: "signals such as `search=yes, ai-train=no`, or `none`"
  })
)

/** Variables about the pages and feeds of readers. */
export const readerVariables = {
  CONTENT_SIGNALS: variable(
    Config.schema(Signals, "CONTENT_SIGNALS").pipe(
      Config.withDefault("search=yes, ai-input=yes, ai-train=no")
    ),
    "`search=yes, ai-input=yes, ai-train=no`",
    "What `/robots.txt` allows robots to do with public texts (`Content-Signal`), or `none` to say nothing"
  ),
  NEW_ACCOUNTS: variable(
    Config.option(Config.Literals(["hold", "list"], "NEW_ACCOUNTS")),
    "`hold`, and `list` on localhost",
    "`hold` keeps accounts younger than a day out of the site's feed, sitemaps and search engines, until they have a verified address, a follower or a sale"
  )
} as const
