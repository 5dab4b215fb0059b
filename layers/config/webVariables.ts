import { Config, Schema } from "effect"
import { variable } from "./variable.ts"

/** Signals as https://contentsignals.org writes them, or `none`. */
const Signals = Schema.String.check(
  Schema.isPattern(/^(none|[a-z-]+=(yes|no)(, ?[a-z-]+=(yes|no))*)$/, {
    expected: "signals such as `search=yes, ai-train=no`, or `none`"
  })
)

/** The address of a hub. Feeds show it, so it has no credentials. */
const HubUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/, {
    expected: "an address such as `https://hub.example/`, without credentials"
  })
)

/** Variables about the pages and feeds of readers. */
export const webVariables = {
  CONTENT_SIGNALS: variable(
    Config.schema(Signals, "CONTENT_SIGNALS").pipe(
      Config.withDefault("search=yes, ai-input=yes, ai-train=no")
    ),
    "`search=yes, ai-input=yes, ai-train=no`",
    "Permissions for robots that `/robots.txt` states for public texts (`Content-Signal`); `none` states nothing"
  ),
  NEW_ACCOUNTS: variable(
    Config.option(Config.Literals(["hold", "list"], "NEW_ACCOUNTS")),
    "`hold`, and `list` on localhost",
    "`hold` keeps accounts younger than a day out of the site's feed, sitemaps and search engines, until they have a verified address, a follower or a sale"
  ),
  WEBSUB_HUB: variable(
    Config.option(Config.schema(HubUrl, "WEBSUB_HUB")),
    "off",
    "WebSub hub that the service notifies of changed feeds and that delivers them to subscribers, such as `https://pubsubhubbub.appspot.com/`"
  )
} as const
