import { Config, Result, Schema, SchemaTransformation } from "effect"
import { isEmailAddress } from "../../schemas/platform/EmailAddress.ts"
import { isHttpUrl } from "../../schemas/platform/httpUrl.ts"
import { SITE_CLAIM, SITE_NAME } from "../../src/platform/ports/Settings.ts"
import { siteAccentOf } from "./siteAccent.ts"
import { variable } from "./variable.ts"

/**
 * Characters that a line of text does not have: controls, line ends, unassigned and private ones, half a pair, and invisible
 * ones. Some turn the direction of the text after them. The two joiners are a part of words and of emoji.
 */
const NOT_IN_A_LINE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u

const segmenter = new Intl.Segmenter("en")

/** One line of text for people, with a maximum number of characters as people count them. */
const line = (most: number) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.makeFilter(
          (text: string) =>
            /[\p{L}\p{N}]/u.test(text) &&
            !NOT_IN_A_LINE.test(text) &&
            text.length <= 8 * most &&
            [...segmenter.segment(text)].length <= most,
          {
            expected: `one line of at most ${most} characters, with a letter or digit and without control or invisible characters`
          }
        )
      ),
      SchemaTransformation.trim()
    )
  )

/** A colour, or one for each scheme. */
const Accent = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const accent = siteAccentOf(text)
    return Result.isSuccess(accent) || `Expected ${accent.failure}`
  })
)

/** A mail address, or the URL of a page. */
const Contact = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter((text: string) => isEmailAddress(text) || isHttpUrl(text), {
        expected: "a mail address such as desk@press.example, or the URL of a page"
      })
    ),
    SchemaTransformation.trim()
  )
)

/** Variables about the site as its operator presents it. */
export const siteVariables = {
  SITE_NAME: variable(
    Config.schema(line(60), "SITE_NAME").pipe(Config.withDefault(SITE_NAME)),
    `\`${SITE_NAME}\``,
    "Name of the site, in pages, feeds, mails, cards and documents for programs"
  ),
  SITE_CLAIM: variable(
    Config.schema(line(160), "SITE_CLAIM").pipe(Config.withDefault(SITE_CLAIM)),
    `\`${SITE_CLAIM}\``,
    "What the site is, in a few words: on the home page, in the footer, in cards and in the feed"
  ),
  SITE_ACCENT: variable(
    Config.option(
      Config.map(Config.schema(Accent, "SITE_ACCENT"), (text) => Result.getOrThrow(siteAccentOf(text)))
    ),
    "copper",
    "Colour of links and buttons, `#1d4ed8`, or one for light and one for dark pages, `#1d4ed8,#9db7ff`; each needs a contrast of 4.5:1"
  ),
  SITE_LOGO: variable(
    Config.option(Config.NonEmptyString("SITE_LOGO")),
    "a coin",
    "SVG or PNG file of at most 100 KiB, shown next to the name and used as the icon; read at the start"
  ),
  SITE_PAGES: variable(
    Config.option(Config.NonEmptyString("SITE_PAGES")),
    "none",
    "Folder of Markdown files such as `imprint.md`, which become `/pages/imprint` and a link of the footer; `about.md` replaces `/about`; read at the start"
  ),
  SITE_NOTICE: variable(
    Config.option(Config.schema(line(500), "SITE_NOTICE")),
    "none",
    "A sentence at the top of every page"
  ),
  OPERATOR_CONTACT: variable(
    Config.option(Config.schema(Contact, "OPERATOR_CONTACT")),
    "the page `contact` or `imprint` of `SITE_PAGES`",
    "Where people write to you, a mail address or the URL of a page; told to authors about whom moderators decide, and to readers who report"
  ),
  REGISTRATION: variable(
    Config.Literals(["open", "closed"], "REGISTRATION").pipe(Config.withDefault("open")),
    "`open`",
    "`closed` allows no new accounts; existing accounts sign in as before"
  )
} as const
