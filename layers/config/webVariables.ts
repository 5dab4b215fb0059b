import { Config, Option, Schema } from "effect"
import { exchangeRateSourceOf } from "../web/exchangeRateSource.ts"
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

/** Hosts with their ports, written as in a URL. */
const Targets = Schema.String.check(
  Schema.isPattern(
    /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5}(?: *, *(?:[a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5})*$/,
    {
      expected: "hosts with ports such as `images.internal:80, 10.0.0.5:443`, in lower case"
    }
  )
)

/** A rate, or where to fetch it. */
const RateText = Schema.String.check(
  Schema.makeFilter((text: string) => Option.isSome(exchangeRateSourceOf(text)), {
    expected: "a rate such as `0.85 USD`, or a document such as `https://rates.example/nano.json#/usd USD`"
  })
)

/** Variables about the pages and feeds of readers. */
export const webVariables = {
  CONTENT_SIGNALS: variable(
    Config.schema(Signals, "CONTENT_SIGNALS").pipe(
      Config.withDefault("search=yes, ai-input=yes, ai-train=no")
    ),
    "`search=yes, ai-input=yes, ai-train=no`",
    "Permissions for robots that `/robots.txt` (`Content-Signal`) and `/license.xml` (RSL 1.0) state for public texts; `none` states none"
  ),
  NEW_ACCOUNTS: variable(
    Config.option(Config.Literals(["hold", "list"], "NEW_ACCOUNTS")),
    "`hold`, and `list` on localhost",
    "`hold` keeps accounts younger than a day out of the site's feed, sitemaps and search engines, until they have a verified address, a follower or a sale"
  ),
  PRIVATE_TARGETS: variable(
    Config.map(
      Config.option(Config.schema(Targets, "PRIVATE_TARGETS")),
      Option.match({
        onNone: (): ReadonlyArray<string> => [],
        onSome: (text) => text.split(",").map((item) => item.trim())
      })
    ),
    "none; on localhost, every port of this machine but `PORT`",
    "Hosts of your own network to which webhooks may send and from which imports may fetch pictures, each with its port, `images.internal:80,10.0.0.5:443`; all other requests go to public addresses only"
  ),
  WEBSUB_HUB: variable(
    Config.option(Config.schema(HubUrl, "WEBSUB_HUB")),
    "off",
    "WebSub hub that the service notifies of changed feeds and that delivers them to subscribers, such as `https://pubsubhubbub.appspot.com/`"
  ),
  XNO_RATE: variable(
    Config.option(Config.schema(RateText, "XNO_RATE")),
    "none",
    "Value of one XNO, `0.85 USD`, or a JSON document and the member that has it, `https://rates.example/nano.json#/usd USD`, fetched every hour; pages then also show `about $0.21` next to prices and sales"
  )
} as const
